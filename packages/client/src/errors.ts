import type { AnswerInfo, Quota } from './answer-info.ts'
import type { ErrorBody } from './types.ts'

/** What the server refused, or could not do. */
export class FleetgateError extends Error {
  override readonly name: string = 'FleetgateError'
  /** HTTP status. */
  readonly status: number
  /** The contract's code: `PUBLIC.400_001`, `ERR999`, … */
  readonly code: string
  /** When the server said so, ISO 8601 UTC. */
  readonly timestamp: string | undefined
  /** How long the server asked to wait before another try, milliseconds. */
  readonly retryAfterMs: number | undefined
  /** By which the operator finds the request in the server's log. */
  readonly requestId: string | undefined
  /** What is left of the daily quota, where the answer says so. */
  readonly quota: Quota | undefined

  constructor(info: AnswerInfo, { errorCode, message, timestamp }: Partial<ErrorBody>) {
    super(message ?? `HTTP ${info.status}`)
    this.status = info.status
    this.retryAfterMs = info.retryAfterMs
    this.requestId = info.requestId
    this.quota = info.quota
    this.code = errorCode ?? 'ERR999'
    this.timestamp = timestamp
  }
}

/** 400: a value that the server does not take; the message names it. */
export class InvalidRequestError extends FleetgateError {
  override readonly name = 'InvalidRequestError'
}

/** 400 `PUBLIC.400_005`: the daily quota of an object is exhausted; it begins anew at midnight UTC. */
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
}

/** 403 `SUBSCRIPTION.403_002`: the organization's subscription gives no positions. */
export class SubscriptionInactiveError extends FleetgateError {
  override readonly name = 'SubscriptionInactiveError'
}

/** 404 `PUBLIC.404_001`: the organization has no such object. */
export class NotFoundError extends FleetgateError {
  override readonly name = 'NotFoundError'
}

/** 429 for longer than `maxWaitMs`: other programs use up the organization's window. */
export class RateLimitedError extends FleetgateError {
  override readonly name = 'RateLimitedError'
}

/** 5xx, for 503 still after all retries. */
export class UnavailableError extends FleetgateError {
  override readonly name = 'UnavailableError'
}

/** No whole answer came: the connection was refused, broke off, or took too long. `cause` says more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** What answered is no Fleetgate API, such as a page of a proxy's: `baseUrl` may be wrong. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'

  constructor() {
    super('what answered is no Fleetgate API: see to baseUrl')
  }
}

/** What these mean is said by the code alone: a proxy or a wrong address gives a 403 or 404 as well. */
const KIND_OF_CODE: Record<string, typeof FleetgateError> = {
  'PUBLIC.400_005': QuotaExhaustedError,
  'SUBSCRIPTION.403_002': SubscriptionInactiveError,
  'PUBLIC.404_001': NotFoundError,
}

/** What an answer with another status than 200 is thrown as. */
export function errorOf(info: AnswerInfo, body: Partial<ErrorBody>): FleetgateError {
  const Kind = KIND_OF_CODE[body.errorCode ?? ''] ?? kindOfStatus(info.status)
  return new Kind(info, body)
}

function kindOfStatus(status: number): typeof FleetgateError {
  switch (status) {
    case 400:
      return InvalidRequestError
    case 401:
      return UnauthorizedError
    case 429:
      return RateLimitedError
    default:
      return status >= 500 ? UnavailableError : FleetgateError
  }
}
