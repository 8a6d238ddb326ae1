import type { IncomingMessage } from 'node:http'
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
  message: IncomingMessage
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
  addressOf: (message: IncomingMessage) => string,
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

const methodOf = quoter()
const addressText = quoter()

/** By hand: a logger that looks at each field costs several times the line itself. */
function membersOf(entry: RequestEntry, address: string): string {
  const { organization, key } = entry
  return (
    (organization === undefined ? '' : `"organization":${organization},`) +
    (key === undefined ? '' : `"key":${key},`) +
    `"method":${methodOf(entry.method)},"operation":"${entry.operation}"` +
    `,"status":${entry.status},"ms":${milliseconds(entry.durationUs)}` +
    `,"address":${addressText(address)}${entry.aborted ? ',"aborted":true' : ''}` +
    ',"msg":"request"'
  )
}

/** As JSON: most are the same as the last. */
function quoter(): (text: string) => string {
  let last = ''
  let quoted = '""'
  return (text) => {
    if (text !== last) {
      quoted = JSON.stringify(text)
      last = text
    }
    return quoted
  }
}

const THOUSANDTHS = Array.from({ length: 1000 }, (_, us) => `.${String(us).padStart(3, '0')}`)

/** Of whole microseconds: what a fraction is printed from costs a microsecond itself. */
function milliseconds(us: number): string {
  return Math.floor(us / 1000) + THOUSANDTHS[us % 1000]!
}
