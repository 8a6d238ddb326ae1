import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../acceptance/harness/client.ts'
import type { Deployment } from '../../acceptance/harness/deployment.ts'
import { start } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { CourseOptions } from './course.ts'

/** A server that is replaced after each kill. */
export type KillableServer = {
  readonly now: ServerProcess
  /** Kills it, sometimes kills its successor during the start, and checks the database of the next. */
  kill(): Promise<void>
  /** Replaces it after an orderly shutdown. */
  replace(): Promise<void>
  stop(): Promise<void>
}

/** About the duration of a start; a kill comes at any point in it. */
const START_MS = 600
const PART_IN_START = 0.15
const ARGS = ['--geocoder', 'off']

/**
 * `forget` resets state that outlives a server and is not under test, before the next one starts. `roleArgs`: the
 * role of a server that has only one.
 */
export async function killableServer(
  deployment: Deployment,
  options: CourseOptions,
  forget: () => Promise<void> = async () => {},
  roleArgs: readonly string[] = [],
): Promise<KillableServer> {
  const { random, tally } = options
  const args = [...ARGS, ...roleArgs]
  let server = await firstAnswer()

  async function firstAnswer(): Promise<ServerProcess> {
    const startedAt = performance.now()
    const next = await serve(deployment, args)
    // A listener of the feed answers too, with a 404.
    await request(next.api ?? next.feed, `${PREFIX}/ping`)
    tally.startsMs.push(performance.now() - startedAt)
    return next
  }

  async function killInStart(): Promise<void> {
    const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
    const child = start(['serve', ...deployment.args, ...deployment.serveArgs, ...ports, ...args])
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
      // The server itself has repaired the effects of the kill by then.
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
