import pino from 'pino'
import { formatInstant } from '../domain/time.ts'

/** Lines are gathered to so many bytes before they are written, or for so long. */
const GATHER_BYTES = 8_192
const FLUSH_EVERY_MS = 200

const API_KEY = /fg_live_[0-9A-Za-z]+/g

/** The server's log on stdout: one JSON object a line. */
export function openServerLog(): { logger: pino.Logger; flush(): void } {
  const destination = pino.destination({ dest: 1, sync: false, minLength: GATHER_BYTES })
  const logger = pino({ base: null, timestamp, hooks: { streamWrite: withoutKeys } }, destination)
  setInterval(() => destination.flush(), FLUSH_EVERY_MS).unref()
  return { logger, flush: () => destination.flushSync() }
}

/** Nothing logs a key; should an error's text ever hold one, it stops here. */
function withoutKeys(line: string): string {
  return line.includes('fg_live_') ? line.replace(API_KEY, 'fg_live_[redacted]') : line
}

let second = 0
let secondText = ''

/** pino's own makes a Date for each line, and lines come by the thousand in a second. */
function timestamp(): string {
  const now = Date.now()
  const millis = now % 1000
  if (now - millis !== second) {
    second = now - millis
    secondText = formatInstant(second).slice(0, -4)
  }
  return `,"time":"${secondText}${String(millis).padStart(3, '0')}Z"`
}
