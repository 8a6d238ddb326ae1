import { connect } from 'node:http2'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerProcess } from '../../acceptance/harness/server.ts'
import { inMegabytes, settledBytes, watchMemory } from '../clients/watched-process.ts'
import type { Finding } from '../part.ts'

const MAX_GROWN = 64 * 2 ** 20
const REQUESTS_EACH = 50
const HOLD_MS = 10_000

/** Clients that offer only HTTP/2, send requests repeatedly, and have a window of 0. */
export async function closedWindows(server: ServerProcess, count: number): Promise<Finding> {
  using memory = watchMemory(server.pid, await settledBytes(server.pid))
  const sessions = Array.from({ length: count }, () => {
    const options = { rejectUnauthorized: false, settings: { initialWindowSize: 0 } }
    const session = connect(`https://127.0.0.1:${server.port}`, options).on('error', () => {})
    for (let i = 0; i < REQUESTS_EACH; i++) {
      session.request({ ':path': '/openapi.json' }).on('error', () => {})
    }
    return session
  })
  await wait(HOLD_MS)
  for (const session of sessions) session.destroy()
  return {
    what: `${count} clients of HTTP/2 with a window of 0, ${REQUESTS_EACH} requests each: memory grows`,
    bar: 'at most 64 MB',
    measured: inMegabytes(memory.grown()),
    met: memory.grown() <= MAX_GROWN,
  }
}
