import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { historyPath } from '../../../bench/requests.ts'
import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import type { Finding } from '../part.ts'
import { type Attack, LOOSE_DESCRIPTORS, type Target } from './target.ts'
import {
  descriptorsFall,
  descriptorsOf,
  inMegabytes,
  settledBytes,
  watchMemory,
} from './watched-process.ts'

const MAX_GROWN_BYTES = 64 * 2 ** 20
const AT_ONCE = 50
const LONGEST_STAY_MS = 300
/** The server may take 30 s to close a half-sent body. */
const GONE_MS = 35_000

/** Connections that end at any point, in every possible way. */
export function hangingUp(connections: number, seed: number): Attack {
  return {
    name: 'hanging up',
    async run(target) {
      const { pid } = target.server
      const before = descriptorsOf(pid)
      using memory = watchMemory(pid, await settledBytes(pid))
      const random = seeded('clients', 'hanging up', seed)
      const silent: Socket[] = []
      for (let i = 0; i < connections; i += AT_ONCE) {
        const plans = Array.from({ length: AT_ONCE }, () => plan(target, random))
        silent.push(...(await Promise.all(plans.map(follow))).flat())
      }
      const { left, tookMs } = await descriptorsFall(pid, before + LOOSE_DESCRIPTORS, GONE_MS)
      const grown = memory.grown()
      for (const socket of silent) socket.destroy()
      const finding: Finding = {
        what: `${connections.toLocaleString('en')} clients that reset, close, half-close or fall silent anywhere: descriptors left, memory grows`,
        bar: 'none after 35 s, less than 64 MB',
        measured: `${left} after ${(tookMs / 1000).toFixed(1)} s, ${inMegabytes(grown)}`,
        met: left === 0 && grown < MAX_GROWN_BYTES,
        seed,
      }
      return [finding]
    },
  }
}

const ENDINGS = ['reset', 'close', 'half-close', 'fall silent'] as const
type Plan = { port: number; bytes: Buffer; stayMs: number; ending: (typeof ENDINGS)[number] }

function plan({ server, install, feedPort, adminPort }: Target, random: Random): Plan {
  const tenant = random.pick(install.others)
  const rows = `GET ${historyPath(tenant, 10)} HTTP/1.1\r\nHost: a\r\nx-api-key: fg_live_none\r\n\r\n`
  const body = `POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: ${install.feedTokens[1]}\r\nContent-Length: 500\r\n\r\n[{"ident":"${tenant.ident}"`
  const { port, text } = random.pick([
    { port: server.port, text: rows },
    {
      port: server.port,
      text: 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12345',
    },
    { port: server.port, text: 'GET /docs HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n' },
    { port: feedPort, text: body },
    { port: adminPort, text: 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n' },
  ])
  const whole = Buffer.from(text)
  // Half of them stop at a random byte.
  const length = random.chance(0.5) ? whole.length : random.whole(0, whole.length)
  // A connection is idle after a whole request and may remain open; the feed waits for a body.
  const canFallSilent = length < whole.length && port !== feedPort
  return {
    port,
    bytes: whole.subarray(0, length),
    stayMs: random.chance(0.5) ? 0 : random.whole(1, LONGEST_STAY_MS),
    ending: random.pick(canFallSilent ? ENDINGS : ENDINGS.slice(0, 3)),
  }
}

/** Returns the socket if it was not closed. */
async function follow({ port, bytes, stayMs, ending }: Plan): Promise<Socket[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  // Leaves the answer unread.
  socket.pause()
  if (bytes.length > 0) socket.write(bytes)
  await wait(stayMs)
  switch (ending) {
    case 'reset':
      socket.resetAndDestroy()
      return []
    case 'close':
      socket.destroy()
      return []
    case 'half-close':
      socket.end()
      return [socket]
    case 'fall silent':
      return [socket]
  }
}
