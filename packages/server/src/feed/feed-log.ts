import type { IncomingMessage } from 'node:http'
import type { Clock } from '../domain/clock.ts'
import type { FeedToken } from './feed.ts'
import type { FeedRefusal } from './refusal.ts'

/** A request that was refused, or whose sender had gone (then without a refusal). */
export type FailedRequest = {
  message: IncomingMessage
  /** As the path names it, or `none`. The path itself may hold a token and never gets here. */
  format: string
  token: FeedToken | undefined
  refusal: FeedRefusal | undefined
  durationUs: number
}

export type Logger = {
  /** One line of the level `info`; `members` are those of a JSON object, as text. */
  line(members: string): void
  error(fields: object, message: string): void
}

export type FeedLog = {
  failed(request: FailedRequest): void
  failure(error: unknown): void
}

const MINUTE_US = 60_000_000
/** Refusals of one address in a minute, beyond which only every 100th is logged. */
const LOGGED = 100
const THINNED_TO_EVERY = 100

/**
 * One line for each request that failed. What succeeds is counted alone: a fleet sends thousands a
 * second. A sender that repeats a wrong request is thinned out, for its address alone.
 */
export function openFeedLog(
  logger: Logger,
  addressOf: (message: IncomingMessage) => string,
  clock: Clock,
): FeedLog {
  let refused = new Map<string, number>()
  let minuteUs = clock.monotonic()

  function isThinnedOut(address: string): boolean {
    const nowUs = clock.monotonic()
    if (nowUs - minuteUs >= MINUTE_US) {
      refused = new Map()
      minuteUs = nowUs
    }
    const count = (refused.get(address) ?? 0) + 1
    refused.set(address, count)
    return count > LOGGED && count % THINNED_TO_EVERY !== 0
  }

  return {
    failed(request) {
      const address = addressOf(request.message)
      if (!isThinnedOut(address)) logger.line(membersOf(request, address))
    },
    failure(error) {
      logger.error({ err: error }, error instanceof Error ? error.message : 'failure')
    },
  }
}

/** The message of a refusal may repeat what the sender wrote: as JSON text it stays on its line. */
function membersOf(request: FailedRequest, address: string): string {
  const { token, refusal, message } = request
  return (
    (token === undefined ? '' : `"organization":${token.organization},"token":${token.id},`) +
    `"method":${JSON.stringify(message.method)},"feed":"${request.format}",` +
    (refusal === undefined
      ? '"aborted":true'
      : `"status":${refusal.status},"code":"${refusal.errorCode}"` +
        `,"reason":${JSON.stringify(refusal.message)}`) +
    `,"ms":${request.durationUs / 1000},"address":${JSON.stringify(address)},"msg":"feed request"`
  )
}
