import type { ServerResponse } from 'node:http'
import type { Live } from './live.ts'

/** The time between heartbeats, so that no proxy takes a quiet stream for a dead one. */
const BEAT_MS = 15_000
/** A browser reconnects after this time. */
const RETRY_MS = 2_000
/** Drop a client that reads too slowly. It reconnects and starts again. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

export const LIVE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const

/**
 * Answers with the events of an organization's fleet. The stream ends with the response, when the organization is
 * deleted, or when `isLetIn`, asked at each heartbeat, says that the watcher has lost access.
 */
export function streamLive(
  live: Live,
  organization: number,
  response: ServerResponse,
  isLetIn: () => Promise<boolean>,
): void {
  // A client may disconnect during the check. Look again afterwards, or its disconnect is lost.
  if (response.destroyed) return
  response.writeHead(200, LIVE_HEADERS)
  response.write(`retry: ${RETRY_MS}\n\n`)
  const beat = setInterval(() => void keepAlive(), BEAT_MS)

  async function keepAlive(): Promise<void> {
    // A failed check does not end the stream.
    if (!(await isLetIn().catch(() => true))) end()
    else if (!response.writableEnded) response.write(':\n\n')
  }

  /** End it at once: unread data may keep it open for long, and nothing may follow. */
  function end(): void {
    leave()
    response.end()
  }

  function leave(): void {
    response.off('close', leave)
    clearInterval(beat)
    stop()
  }

  function send(events: Buffer): void {
    if (response.writableEnded) return
    response.write(events)
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy()
  }

  const stop = live.watch(organization, send, end)
  response.once('close', leave)
}
