import type { IncomingMessage } from 'node:http'
import { type Denial, denialMembers } from '../base/access/authenticate-key.ts'
import type { Clock } from '../base/domain/time/time.ts'
import { failureLog, type Logger, thinning } from '../base/http/listener-log.ts'
import type { StreamEnd } from './changes/open-streams.ts'

export type RequestEntry = {
  id: string
  method: string
  operation: string
  organization: number | undefined
  /**
   * The key's id. The key itself, and the request target that might hold one by mistake, are never
   * logged.
   */
  key: number | undefined
  /** Why it has no valid key. */
  denial: Denial | undefined
  status: number
  durationUs: number
  /** Whether the answer may have waited for a change: its duration says nothing about the server. */
  isHeld: boolean
  /** Why a stream of events ended. */
  ended: StreamEnd | undefined
  /** Whether the answer broke off after its first byte. */
  aborted: boolean
  message: IncomingMessage
}

/** The facts of an answered request. */
export type RequestLog = {
  request(entry: RequestEntry): void
  /** A failure of the request with this id. */
  failure(error: unknown, id: string): void
}

/**
 * Writes one line for each request, and calls `observe` for the metrics. The rate window bounds the requests that it
 * admits. Lines of all others are thinned for each address, or each key. The requests are still answered.
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
      const isAdmitted = entry.key !== undefined && !NOT_ADMITTED.includes(entry.status)
      if (!isAdmitted && isThinnedOut(`${entry.key ?? address}`)) return
      logger.line(membersOf(entry, address))
    },
    failure: failureLog(logger),
  }
}

/** The window refused the request, or nobody could ask it. */
const NOT_ADMITTED = [429, 503]

const methodOf = quoter()
const addressText = quoter()

/** Written by hand: a logger that looks at each field costs several times as much. */
function membersOf(entry: RequestEntry, address: string): string {
  const { organization, key } = entry
  const denied = entry.denial === undefined ? '' : `,${denialMembers(entry.denial)}`
  const ended = entry.ended === undefined ? '' : `,"stream_ended":"${entry.ended}"`
  return (
    (organization === undefined ? '' : `"organization":${organization},`) +
    (key === undefined ? '' : `"key":${key},`) +
    `"method":${methodOf(entry.method)},"operation":"${entry.operation}"` +
    `,"status":${entry.status}${denied},"ms":${milliseconds(entry.durationUs)}` +
    `,"address":${addressText(address)},"request_id":"${entry.id}"${entry.aborted ? ',"aborted":true' : ''}${ended}` +
    ',"msg":"request"'
  )
}

/** As JSON. Most are the same as the last. */
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

/** Whole microseconds: formatting a fraction takes a microsecond itself. */
function milliseconds(us: number): string {
  return Math.floor(us / 1000) + THOUSANDTHS[us % 1000]!
}
