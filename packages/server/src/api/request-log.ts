import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Clock } from '../domain/clock.ts'
import { thinning } from '../http/thinning.ts'

export type RequestEntry = {
  method: string
  operation: string
  organization: number | undefined
  /** The key's id. The key itself, and the target that might hold one by mistake, never get here. */
  key: number | undefined
  status: number
  durationUs: number
  /** Whether the answer broke off after its first byte. */
  aborted: boolean
  message: IncomingMessage | Http2ServerRequest
}

/** What is left of a request once it is answered. */
export type RequestLog = {
  request(entry: RequestEntry): void
  failure(error: unknown): void
}

export type Logger = {
  /** One line of the level `info`; `members` are those of a JSON object, as text. */
  line(members: string): void
  error(fields: object, message: string): void
}

/**
 * One line for each request, and `observe` for the metrics. The flood of lines that somebody trying
 * keys would cause is thinned, for that address alone; its requests are answered all the same.
 */
export function openRequestLog(
  logger: Logger,
  addressOf: (message: IncomingMessage | Http2ServerRequest) => string,
  observe: (entry: RequestEntry) => void,
  clock: Clock,
): RequestLog {
  const isThinnedOut = thinning(clock)

  return {
    request(entry) {
      observe(entry)
      const address = addressOf(entry.message)
      if (entry.status === 401 && isThinnedOut(address)) return
      logger.line(membersOf(entry, address))
    },
    failure(error) {
      logger.error({ err: error }, error instanceof Error ? error.message : 'failure')
    },
  }
}

/** By hand: a logger that looks at each field costs several times the line itself. */
function membersOf(entry: RequestEntry, address: string): string {
  const { organization, key } = entry
  return (
    (organization === undefined ? '' : `"organization":${organization},`) +
    (key === undefined ? '' : `"key":${key},`) +
    `"method":${JSON.stringify(entry.method)},"operation":"${entry.operation}"` +
    `,"status":${entry.status},"ms":${entry.durationUs / 1000}` +
    `,"address":${JSON.stringify(address)}${entry.aborted ? ',"aborted":true' : ''}` +
    ',"msg":"request"'
  )
}
