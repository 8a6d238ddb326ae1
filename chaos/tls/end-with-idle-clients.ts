import { once } from 'node:events'
import { connect } from 'node:http2'
import type { ServerProcess } from '../../acceptance/harness/server.ts'
import { leaveUnread, type UnreadTarget } from '../../acceptance/harness/unread-answers.ts'
import type { Finding } from '../part.ts'

const CLIENTS = 20
const MAX_MS = 10_000
const PATIENCE_MS = 60_000
const PING = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'

/** Sends SIGTERM while clients of HTTP/1.1 and of HTTP/2 are idle. */
export async function endWithIdleClients(
  server: ServerProcess,
  target: UnreadTarget,
): Promise<Finding> {
  const idle = Array.from({ length: CLIENTS }, () => leaveUnread(target, PING))
  for (const socket of await Promise.all(idle)) socket.resume()
  const sessions = Array.from({ length: CLIENTS }, () => {
    const to = `https://127.0.0.1:${server.port}`
    return connect(to, { rejectUnauthorized: false }).on('error', () => {})
  })
  await Promise.all(
    sessions.map((session) => Promise.race([once(session, 'connect'), once(session, 'close')])),
  ).catch(() => {})
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'never')
  })
  const ended = await Promise.race([server.stop(), tooLong])
  clearTimeout(timer)
  for (const session of sessions) session.destroy()
  const tookMs = performance.now() - startedAt
  return {
    what: `SIGTERM while ${CLIENTS} clients of HTTP/1.1 and ${CLIENTS} of HTTP/2 are idle`,
    bar: `ends with 0 within ${MAX_MS / 1000} s`,
    measured: `${ended} after ${(tookMs / 1000).toFixed(1)} s`,
    met: ended === 0 && tookMs <= MAX_MS,
  }
}
