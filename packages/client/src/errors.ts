import type { AnswerInfo, Quota } from './answer-info.ts'
import type { ErrorBody } from './types.ts'

/** The server refused a request, or could not answer it. */
export class FleetgateError extends Error {
  override readonly name: string = 'FleetgateError'
  /** HTTP status. */
  readonly status: number
  /** The contract's code: `PUBLIC.400_001`, `ERR999`, … */
  readonly code: string
  /** The time of the answer, ISO 8601 UTC. */
  readonly timestamp: string | undefined
  /** How long the server asked to wait before another attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** With this id the operator finds the request in the server's log. */
  readonly requestId: string | undefined
  /** The rest of the daily quota, if the answer has it. */
  readonly quota: Quota | undefined

  constructor(info: AnswerInfo, { errorCode, message, timestamp }: Partial<ErrorBody>) {
    super(message ?? bareMessage(info.status))
    this.status = info.status
    this.retryAfterMs = info.retryAfterMs
    this.requestId = info.requestId
    this.quota = info.quota
    this.code = errorCode ?? 'ERR999'
    this.timestamp = timestamp
  }
}

/** 400: a value breaks a rule. The message names it. */
export class InvalidRequestError extends FleetgateError {
  override readonly name = 'InvalidRequestError'
}

/** 400 `PUBLIC.400_005`: the daily quota of an object is exhausted. It starts again at midnight UTC. */
export class QuotaExhaustedError extends FleetgateError {
  override readonly name = 'QuotaExhaustedError'
  /** Ids of the objects, at most 100. */
  readonly exhausted: readonly number[]

  constructor(info: AnswerInfo, body: Partial<ErrorBody>) {
    super(info, body)
    this.exhausted = info.exhausted
  }
}

/** 401: the key is missing, wrong, expired or revoked. */
export class UnauthorizedError extends FleetgateError {
  override readonly name = 'UnauthorizedError'

  constructor(info: AnswerInfo, body: Partial<ErrorBody>, keyFault?: string) {
    super(info, body)
    if (keyFault !== undefined) this.message += `: ${keyFault}`
  }
}

/** 403 `SUBSCRIPTION.403_002`: the organization's subscription does not include positions. */
export class SubscriptionInactiveError extends FleetgateError {
  override readonly name = 'SubscriptionInactiveError'
}

/** 404 `PUBLIC.404_001`: the organization has no such object. */
export class NotFoundError extends FleetgateError {
  override readonly name = 'NotFoundError'
}

/** 410 `PUBLIC.410_001`: a cursor of changes is too old. An iteration of changes then starts again automatically. */
export class CursorExpiredError extends FleetgateError {
  override readonly name = 'CursorExpiredError'
}

/** 429 for longer than `maxWaitMs`: other programs use up the organization's window. */
export class RateLimitedError extends FleetgateError {
  override readonly name = 'RateLimitedError'
}

/** 5xx. A 503 was retried before. */
export class UnavailableError extends FleetgateError {
  override readonly name = 'UnavailableError'
}

/** No complete answer came: the connection was refused, broke off, or took too long. See `cause`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** The answer is not from a Fleetgate API, but a proxy's page, say. `baseUrl` may be wrong. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'

  constructor() {
    super('the response is not from a Fleetgate API: check the address')
  }
}

/** Only the code distinguishes these: a proxy or a wrong address gives a 403 or 404 too. */
const KIND_OF_CODE: Record<string, typeof FleetgateError> = {
  'PUBLIC.400_005': QuotaExhaustedError,
  'SUBSCRIPTION.403_002': SubscriptionInactiveError,
  'PUBLIC.404_001': NotFoundError,
  'PUBLIC.410_001': CursorExpiredError,
}

/** The error for an answer with another status than 200. `keyFault`: why the key was refused. */
export function errorOf(
  info: AnswerInfo,
  body: Partial<ErrorBody>,
  keyFault?: string,
): FleetgateError {
  if (info.status === 401) return new UnauthorizedError(info, body, keyFault)
  const Kind = KIND_OF_CODE[body.errorCode ?? ''] ?? kindOfStatus(info.status)
  return new Kind(info, body)
}

/** The message for an answer that has none. A server of another kind has no `/public/v1`. */
function bareMessage(status: number): string {
  return status === 404 ? 'HTTP 404: there is no Fleetgate API at this address' : `HTTP ${status}`
}

function kindOfStatus(status: number): typeof FleetgateError {
  switch (status) {
    case 400:
      return InvalidRequestError
    case 429:
      return RateLimitedError
    default:
      return status >= 500 ? UnavailableError : FleetgateError
  }
}
