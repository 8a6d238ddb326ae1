import pino from 'pino'

/** Lines are gathered to so many bytes before they are written, or for so long. */
const GATHER_BYTES = 8_192
const FLUSH_EVERY_MS = 200

/** The server's log on stdout: one JSON object a line. */
export function openServerLog(): { logger: pino.Logger; flush(): void } {
  const destination = pino.destination({ dest: 1, sync: false, minLength: GATHER_BYTES })
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: ['key.key', 'headers'] },
    destination,
  )
  setInterval(() => destination.flush(), FLUSH_EVERY_MS).unref()
  return { logger, flush: () => destination.flushSync() }
}
