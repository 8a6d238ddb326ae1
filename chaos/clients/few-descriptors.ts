import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import type { Json } from '../../acceptance/harness/fleetgate.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import { makeInstall } from './install.ts'
import type { Attack } from './target.ts'

const OPEN_FILES = 64
/** Below the capacity of the listener: each connection has its answer before others replace it. */
const AT_ONCE = 4
const EVERY_MS = 20
const PATIENCE_MS = 5_000
const REQUEST = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'

/** Requests of other clients, each over its own connection, and the number of answers other than 200. */
export type Asked = Record<'readiness' | 'the feed' | 'the API', { asked: number; failed: number }>

/** A server with few file descriptors, while clients hold idle connections to the API. */
export function fewDescriptors(folder: string, connections: number): Attack {
  return {
    name: 'few descriptors',
    async run() {
      const { feedTokens } = await makeInstall(folder, 0, 0)
      const server = await serve(inFolder(folder), ['--geocoder', 'off'], {}, OPEN_FILES)
      const sockets: Socket[] = []
      try {
        const asked = await askWhile(server, feedTokens[0]!, async () => {
          while (sockets.length < connections) {
            const more = Array.from({ length: AT_ONCE }, () => hold(server.port))
            sockets.push(...more)
            await Promise.all(more.map(heard))
          }
        })
        for (const socket of sockets) socket.destroy()
        await server.stop()
        return [...findingsOf(connections, asked), logFinding(server.log)]
      } finally {
        await server.kill()
      }
    },
  }
}

function hold(port: number): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST))
  return socket.on('error', () => {})
}

/** Resolves with an answer, or at the end of the connection. */
function heard(socket: Socket): Promise<unknown> {
  return Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {})
}

/** Requests readiness, the feed and the API repeatedly until the work is done. */
export async function askWhile(
  server: ServerProcess,
  token: string,
  work: () => Promise<void>,
): Promise<Asked> {
  const asked: Asked = {
    readiness: { asked: 0, failed: 0 },
    'the feed': { asked: 0, failed: 0 },
    'the API': { asked: 0, failed: 0 },
  }
  const row = { ident: 'van', time_device: '2026-11-21T09:00:00Z', latitude: 41, longitude: 2 }
  const packet = { method: 'POST', body: JSON.stringify([row]), headers: { 'x-feed-token': token } }
  let isOver = false

  async function ask(who: keyof Asked, url: string, init: RequestInit = {}): Promise<void> {
    const headers = { ...init.headers, connection: 'close' }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const status = await fetch(url, { ...init, headers, signal }).then(
      (answer) => answer.arrayBuffer().then(() => answer.status),
      () => 0,
    )
    asked[who].asked += 1
    if (status !== 200) asked[who].failed += 1
  }

  async function askOn(): Promise<void> {
    while (!isOver) {
      await ask('readiness', `${server.admin}/ready`)
      await ask('the feed', `${server.feed}/feed/v1/positions`, packet)
      await ask('the API', `${server.api}/public/v1/ping`)
      await wait(EVERY_MS)
    }
  }

  const asking = askOn()
  await work()
  isOver = true
  await asking
  return asked
}

function findingsOf(connections: number, asked: Asked): Finding[] {
  return Object.entries(asked).map(([who, { asked: all, failed }]) => ({
    what: `${OPEN_FILES} descriptors, ${connections} idle connections to the API: requests to ${who} that failed`,
    bar: 'none',
    measured: `${failed} of ${all}`,
    met: failed === 0 && all > 0,
  }))
}

function logFinding(log: readonly Json[]): Finding {
  const lines = log.filter(({ reason }) => reason === 'idle' || reason === 'descriptors')
  return {
    what: `${OPEN_FILES} descriptors: the log tells of connections that were closed`,
    bar: 'yes',
    measured: lines.length === 0 ? 'no' : `yes: ${lines[0].msg}`,
    met: lines.length > 0,
  }
}
