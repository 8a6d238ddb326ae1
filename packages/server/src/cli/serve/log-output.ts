import type { Writable } from 'node:stream'

/** Bytes of the log that may wait for its reader. Further lines are dropped and counted. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** How long an end waits for the reader to take the last lines. */
const END_MS = 1_000

const WARN = 40
const NEWLINE = 0x0a

/**
 * Writes the lines of a log to a stream. A reader that stops costs bounded memory. When it goes on, a line
 * says how many lines are missing.
 */
export function logOutput(
  stream: Pick<Writable, 'writableLength' | 'write'>,
  now: () => number = Date.now,
): (lines: string | Buffer) => void {
  let dropped = 0

  return (lines) => {
    if (stream.writableLength > MAX_WAITING_BYTES) {
      dropped += countLines(lines)
      return
    }
    if (dropped > 0) {
      const time = new Date(now()).toISOString()
      const msg = `the reader of the log was too slow: ${dropped} lines are missing here`
      stream.write(`${JSON.stringify({ level: WARN, time, dropped, msg })}\n`)
      dropped = 0
    }
    stream.write(lines)
  }
}

/** Ends the process even if nobody reads the last lines. Call it when everything else is closed. */
export function endUnread(stream: Pick<Writable, 'writableLength'>): void {
  if (stream.writableLength > 0) setTimeout(() => process.exit(), END_MS).unref()
}

function countLines(lines: string | Buffer): number {
  let count = 0
  for (const byte of Buffer.from(lines)) if (byte === NEWLINE) count += 1
  return count
}
