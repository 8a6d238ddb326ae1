import type { IncomingMessage } from 'node:http'
import { costOf } from './body-pieces.ts'
import { LINGER_MS } from './socket-answer.ts'

/** Bytes of an unwanted body that are thrown away before the connection is cut. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
/** Bytes thrown away at once. Then one piece at an interval, so that others do not wait. */
const DISCARDED_AT_ONCE_BYTES = 256 * 1024
const DISCARDED_PIECE_BYTES = 64 * 1024
const DISCARD_EVERY_MS = 50

/**
 * Reads the rest of a body and throws it away. Closing the connection earlier would reset it, and the
 * client might lose the answer (RFC 9112, 9.6).
 */
export function discardBody(message: IncomingMessage): void {
  let bytes = 0
  let atOnce = DISCARDED_AT_ONCE_BYTES
  let timer: NodeJS.Timeout | undefined
  message.on('data', (chunk: Buffer) => {
    bytes += costOf(chunk)
    if (bytes < atOnce) return
    atOnce = bytes + DISCARDED_PIECE_BYTES
    message.pause()
    timer =
      bytes <= MAX_DISCARDED_BYTES
        ? setTimeout(() => message.resume(), DISCARD_EVERY_MS)
        : // The sender cannot go on now, and may read the answer while it waits.
          setTimeout(() => message.destroy(), LINGER_MS)
  })
  message.once('close', () => clearTimeout(timer))
}
