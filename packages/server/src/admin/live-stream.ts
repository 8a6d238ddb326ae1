import type { ServerResponse } from 'node:http'
import type { Live } from './live.ts'

/** Between two signs of life, so that nobody on the way takes a quiet stream for a dead one. */
const BEAT_MS = 15_000
/** A browser tries again after so long. */
const RETRY_MS = 2_000
/** Of a reader that takes nothing no more is kept: it comes again and begins anew. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

export const LIVE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const

/**
 * Answers with server-sent events (HTML, 9.2): `objects` where some are new or have moved, `gone` where some
 * are there no more. Ends with the response, when the organization is gone, or when `isLetIn`, asked at
 * each beat, says that who watches is to see no more.
 */
export function streamLive(
  live: Live,
  organization: number,
  response: ServerResponse,
  isLetIn: () => Promise<boolean>,
): void {
  // Who went while he was being checked would never be told to have gone.
  if (response.destroyed) return
  response.writeHead(200, LIVE_HEADERS)
  response.write(`retry: ${RETRY_MS}\n\n`)
  const beat = setInterval(() => void keepAlive(), BEAT_MS)

  async function keepAlive(): Promise<void> {
    // What cannot be told just now ends nothing.
    if (!(await isLetIn().catch(() => true))) end()
    else if (!response.writableEnded) response.write(':\n\n')
  }

  /** At once: what is still to be read of it may keep it open for long, and nothing may follow. */
  function end(): void {
    leave()
    response.end()
  }

  function leave(): void {
    response.off('close', leave)
    clearInterval(beat)
    stop()
  }

  function send(event: string, data: object): void {
    if (response.writableEnded) return
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy()
  }

  const stop = live.watch(
    organization,
    ({ moved, gone }) => {
      send('objects', { items: moved })
      if (gone.length > 0) send('gone', { ids: gone })
    },
    end,
  )
  response.once('close', leave)
}
