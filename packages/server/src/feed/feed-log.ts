import type { IncomingMessage } from 'node:http'
import { type Denial, denialMembers } from '../access/denial.ts'
import { DEPLOYMENT } from '../domain/routing.ts'
import type { Clock } from '../domain/time/clock.ts'
import { thinning } from '../http/thinning.ts'
import type { FeedRefusal } from './refusal.ts'
import type { FeedToken } from './token.ts'

/** A request that was refused, or whose sender has gone (then without a refusal). */
export type FailedRequest = {
  id: string
  message: IncomingMessage
  /** The format's name in the path, or `none`. The path itself may hold a token and is never logged. */
  format: string
  token: FeedToken | undefined
  /** Why it has no valid token. */
  denial: Denial | undefined
  refusal: FeedRefusal | undefined
  durationUs: number
}

/** An answered request with rejected rows that somebody must act on. */
export type RejectingRequest = {
  id: string
  message: IncomingMessage
  format: string
  token: FeedToken
  /** Rejected rows by reason. */
  reasons: Readonly<Record<string, number>>
}

export type Logger = {
  /** Writes one line of the level `info`. `members` are members of a JSON object, as text. */
  line(members: string): void
  error(fields: object, message: string): void
}

export type FeedLog = {
  failed(request: FailedRequest): void
  rejected(request: RejectingRequest): void
  /** A failure of the request with this id. */
  failure(error: unknown, id: string): void
}

/**
 * Writes a line for each failed request, and for each request with rows that were rejected through a
 * fault of the sender or the operator. Successes are only counted: a fleet sends thousands a second.
 * Lines of a sender that repeats a wrong request are thinned, for its address only.
 */
export function openFeedLog(
  logger: Logger,
  addressOf: (message: IncomingMessage) => string,
  clock: Clock,
): FeedLog {
  const isThinnedOut = thinning(clock)

  return {
    failed(request) {
      const address = addressOf(request.message)
      if (!isThinnedOut(address)) logger.line(membersOf(request, address))
    },
    rejected({ id, message, format, token, reasons }) {
      const address = addressOf(message)
      if (isThinnedOut(address)) return
      logger.line(
        `${ofToken(token)}"feed":"${format}","rejected":${JSON.stringify(reasons)},"address":${JSON.stringify(address)},` +
          `"request_id":"${id}","msg":"feed rows rejected"`,
      )
    },
    failure(error, id) {
      logger.error(
        { err: error, request_id: id },
        error instanceof Error ? error.message : 'failure',
      )
    },
  }
}

/** A token of the deployment has no organization. */
function ofToken({ organization, id }: FeedToken): string {
  return `"organization":${organization === DEPLOYMENT ? null : organization},"token":${id},`
}

/** The message may repeat the sender's input. As JSON text it stays on its line. */
function membersOf(request: FailedRequest, address: string): string {
  const { token, denial, refusal, message } = request
  return (
    (token === undefined ? '' : ofToken(token)) +
    `"method":${JSON.stringify(message.method)},"feed":"${request.format}",` +
    (refusal === undefined
      ? '"aborted":true'
      : `"status":${refusal.status},"code":"${refusal.errorCode}"` +
        `,${denial === undefined ? `"reason":${JSON.stringify(refusal.message)}` : denialMembers(denial)}`) +
    `,"ms":${request.durationUs / 1000},"address":${JSON.stringify(address)}` +
    `,"request_id":"${request.id}","msg":"feed request"`
  )
}
