import type { Readable, Writable } from 'node:stream'
import pino from 'pino'
import { withoutSecrets } from '../../base/access/secret.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import type { Logger } from '../../base/http/listener-log.ts'

/** Lines are gathered up to this many characters, or for this long, before they are written. */
const GATHERED = 16_384
const FLUSH_EVERY_MS = 200

const INFO = pino.levels.values.info

/** The server's log, one JSON object in each line. `out` takes whole lines. */
export function openServerLog(out: (lines: string) => void): { logger: Logger; flush(): void } {
  let lines = ''

  function flush(): void {
    if (lines === '') return
    // Nothing logs a key or a token. If the text of an error ever holds one, mask it here.
    out(withoutSecrets(lines))
    lines = ''
  }

  function write(line: string): void {
    lines += line
    if (lines.length >= GATHERED) flush()
  }

  setInterval(flush, FLUSH_EVERY_MS).unref()
  process.once('exit', flush)
  // pino writes rare lines only: each takes a fifth of a request's time.
  const failures = pino({ base: null, timestamp }, { write })
  return {
    logger: {
      line: (members) => write(`{"level":${INFO}${timestamp()},${members}}\n`),
      error: (fields, message) => failures.error(fields, message),
    },
    flush,
  }
}

let second = 0
let secondText = ''

/** pino's own function makes a Date for each line, thousands of times a second. */
function timestamp(): string {
  const now = Date.now()
  const millis = now % 1000
  if (now - millis !== second) {
    second = now - millis
    secondText = formatInstant(second).slice(0, -4)
  }
  return `,"time":"${secondText}${String(millis).padStart(3, '0')}Z"`
}

/** Bytes of the log that may wait for its reader. Further lines are dropped and counted. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** How long an end waits for the reader to take the last lines. */
const END_MS = 1_000

const WARN = 40
const NEWLINE = 0x0a

/**
 * Writes the lines of a log to a stream. A reader that stops takes a limited amount of memory. When it continues, a
 * line says how many lines are missing.
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

/**
 * Relays whole lines of a process's output, so that lines of several processes do not mix. An unfinished
 * last line of a killed process is dropped.
 */
export function relayLines(source: Readable, out: (lines: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  source.on('data', (bytes: Buffer) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const end = all.lastIndexOf(NEWLINE) + 1
    rest = all.subarray(end)
    if (end > 0) out(all.subarray(0, end))
  })
}
