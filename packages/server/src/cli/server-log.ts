import pino from 'pino'
import { formatInstant } from '../domain/time.ts'

/** Lines are gathered to so many characters before they are written, or for so long. */
const GATHERED = 16_384
const FLUSH_EVERY_MS = 200

const API_KEY = /fg_live_[0-9A-Za-z]+/g

/** The server's log on stdout: one JSON object a line. */
export function openServerLog(): { logger: pino.Logger; flush(): void } {
  let lines = ''

  function flush(): void {
    if (lines === '') return
    // Nothing logs a key; should an error's text ever hold one, it stops here.
    process.stdout.write(lines.includes('fg_live_') ? lines.replace(API_KEY, 'fg_live_…') : lines)
    lines = ''
  }

  // pino's own destination measures each line and writes in a thread: a fifth of a request's time.
  const gatherer = {
    write(line: string) {
      lines += line
      if (lines.length >= GATHERED) flush()
    },
  }
  setInterval(flush, FLUSH_EVERY_MS).unref()
  return { logger: pino({ base: null, timestamp }, gatherer), flush }
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
