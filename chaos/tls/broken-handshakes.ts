import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { UnreadTarget } from '../../acceptance/harness/unread-answers.ts'
import type { Finding } from '../part.ts'

/** 5 s for the handshake, and 5 s for the headers after it. */
const CLOSED_MS = 12_000
const PATIENCE_MS = 30_000
/** The head of a record of 512 bytes, and the start of a ClientHello (RFC 8446, 4.1.2). */
const HALF_HELLO = Buffer.from('160301020001000001fc0303', 'hex')

/** Connections that send nothing, stop in the ClientHello, or stop after the handshake. */
export async function brokenHandshakes(target: UnreadTarget, count: number): Promise<Finding[]> {
  const to = { port: target.port, host: '127.0.0.1' }
  const kinds: Record<string, () => Socket> = {
    'that say nothing': () => connect(to),
    'that stop in the ClientHello': () =>
      connect(to, function (this: Socket) {
        this.write(HALF_HELLO)
      }),
    'that stop after the handshake': () => connectTls({ ...to, ca: target.ca! }),
  }
  return Promise.all(
    Object.entries(kinds).map(async ([what, open]) => {
      const all = await Promise.all(Array.from({ length: count }, () => closedAfterMs(open())))
      const last = Math.max(...all)
      return {
        what: `${count} connections to TLS ${what}`,
        bar: `all closed within ${CLOSED_MS / 1000} s`,
        measured: Number.isFinite(last) ? `the last after ${(last / 1000).toFixed(1)} s` : 'never',
        met: last <= CLOSED_MS,
      }
    }),
  )
}

/** Infinity if it remains open. */
async function closedAfterMs(socket: Socket): Promise<number> {
  const startedAt = performance.now()
  socket.on('error', () => {}).resume()
  let tookMs = Number.POSITIVE_INFINITY
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
  await once(socket, 'close')
  clearTimeout(timer)
  if (performance.now() - startedAt < PATIENCE_MS) tookMs = performance.now() - startedAt
  return tookMs
}
