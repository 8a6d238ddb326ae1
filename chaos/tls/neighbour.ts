import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import type { Finding } from '../part.ts'

const EVERY_MS = 200
const PATIENCE_MS = 5_000
const REQUEST = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** Sends pings, each on a new connection, until it is aborted. */
export async function askNeighbour(
  { port, ca }: { port: number; ca: Buffer },
  signal: AbortSignal,
): Promise<Finding> {
  let [asked, failed] = [0, 0]
  while (!signal.aborted) {
    asked += 1
    if (!(await isAnswered(port, ca))) failed += 1
    await wait(EVERY_MS)
  }
  return {
    what: 'pings over a new connection of TLS meanwhile that failed',
    bar: 'none',
    measured: `${failed} of ${asked}`,
    met: failed === 0 && asked > 0,
  }
}

async function isAnswered(port: number, ca: Buffer): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', ca }).on('error', () => {})
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
  socket.write(REQUEST)
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => [])
  clearTimeout(timer)
  socket.destroy()
  return String(answer).startsWith('HTTP/1.1 200 ')
}
