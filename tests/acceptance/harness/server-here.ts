import { EventEmitter, on } from 'node:events'
import { firstLineOf, secretsOf } from '../../../packages/server/src/run/serve/greeting.ts'
import { readServe } from '../../../packages/server/src/run/serve/serve-command.ts'
import { openServerLog } from '../../../packages/server/src/run/serve/server-log.ts'
import { startServing } from '../../../packages/server/src/run/serve/start-serving.ts'
import { clock } from './clock.ts'
import type { Deployment } from './deployment.ts'
import type { Json } from './fleetgate.ts'
import { ON_FREE_PORTS, type Server } from './server.ts'

/** Starts a server in this process as `fleetgate serve` does, over the clock of the tests. */
export async function serveHere(deployment: Deployment, args: string[] = []): Promise<Server> {
  const request = readServe([
    ...deployment.args,
    ...deployment.serveArgs,
    ...ON_FREE_PORTS,
    ...args,
  ])
  const log: Json[] = []
  const written = new EventEmitter()
  const { logger, flush } = openServerLog((text) => {
    for (const line of text.split('\n')) {
      if (line === '') continue
      log.push(JSON.parse(line))
      written.emit('entry', log.at(-1))
    }
  })
  const { greeting, close } = await startServing(request, { clock, logger })
  const { api, feed, admin } = greeting
  log.unshift(firstLineOf(greeting))
  return {
    api: api!,
    port: api === null ? 0 : Number(new URL(api).port),
    admin,
    feed: feed!,
    get log() {
      flush()
      return log
    },
    async logged(isIt) {
      flush()
      const found = log.find(isIt)
      if (found !== undefined) return found
      for await (const [entry] of on(written, 'entry')) if (isIt(entry)) return entry
      throw new Error('unreachable: the log has no end')
    },
    secrets: async () => secretsOf(greeting),
    stop: close,
  }
}
