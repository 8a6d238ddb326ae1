import pino from 'pino'
import { withoutSecrets } from '../../access/secret.ts'
import type { Logger } from '../../api/request-log.ts'
import { formatInstant } from '../../domain/time/time.ts'

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
