import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../acceptance/harness/client.ts'
import type { Deployment } from '../../acceptance/harness/deployment.ts'
import { start } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import { type Server, serve } from '../../acceptance/harness/server.ts'
import type { CourseOptions } from './course.ts'

/** A server that another takes the place of when it is killed. */
export type KillableServer = {
  readonly now: Server
  /** Kills it, now and then kills its successor while that starts, and checks the database of the next. */
  kill(): Promise<void>
  /** The next, after an orderly end. */
  replace(): Promise<void>
  stop(): Promise<void>
}

/** A start takes about as long; a kill comes anywhere in it. */
const START_MS = 600
const PART_IN_START = 0.15
const ARGS = ['--geocoder', 'off']

/** `forget` makes what outlives a server, and is not in question, as new before the next is started. */
export async function killableServer(
  deployment: Deployment,
  options: CourseOptions,
  forget: () => Promise<void> = async () => {},
): Promise<KillableServer> {
  const { random, tally } = options
  let server = await firstAnswer()

  async function firstAnswer(): Promise<Server> {
    const startedAt = performance.now()
    const next = await serve(deployment, ARGS)
    await request(next.api, `${PREFIX}/ping`)
    tally.startsMs.push(performance.now() - startedAt)
    return next
  }

  async function killInStart(): Promise<void> {
    const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
    const child = start(['serve', ...deployment.args, ...deployment.serveArgs, ...ports, ...ARGS])
    child.stdout.resume()
    child.stderr.resume()
    const ended = once(child, 'exit')
    await wait(random.between(0, START_MS))
    child.kill('SIGKILL')
    await ended
    tally.kills += 1
    tally.inStart += 1
  }

  return {
    get now() {
      return server
    },
    async kill() {
      await server.kill()
      tally.kills += 1
      if (random.chance(PART_IN_START)) await killInStart()
      await forget()
      server = await firstAnswer()
      // By then the server itself has set right what the kill left.
      assertIntegrity(deployment)
      tally.integrityChecks += 1
    },
    async replace() {
      await server.stop()
      await forget()
      server = await firstAnswer()
    },
    async stop() {
      await server.stop()
    },
  }
}
