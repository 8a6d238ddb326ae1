import type { KeyFault } from '../base/access/authenticate-key.ts'
import { excerpt } from '../base/domain/common/plain-text.ts'
import type { Subscription } from '../base/domain/organization.ts'

export type TimeParameter = 'from_time' | 'to_time' | 'time'
export type DateParameter = 'from_date' | 'to_date'
/** A range is from `from_time` to `to_time`, or from `from_date` to `to_date`. */
export type RangeKind = 'time' | 'date'
/** The parameters that take the id of one object. */
export type IdParameter = 'id' | 'object'
/** The parameters that take a list of ids: of objects, or of places. */
export type IdsParameter = 'ids' | 'geofences' | 'sites'

/**
 * Every message of the API with its parameters. `read/messages/` holds the texts in each language. `value`
 * and `name` are excerpts of client input.
 */
export type RefusalMessage =
  | { key: 'unauthorized' }
  | { key: 'tooManyRequests'; seconds: number }
  | { key: 'tooManyWholeAnswers' }
  | { key: 'operationNotOpened' }
  | { key: 'subscriptionInactive'; state: Exclude<Subscription, 'active'> }
  | { key: 'invalidId'; parameter: IdParameter; value: string }
  | { key: 'fromTimeRequired' }
  | { key: 'toTimeRequired' }
  | { key: 'timeRequired' }
  | { key: 'invalidTime'; parameter: TimeParameter; value: string }
  | { key: 'dateRequired'; parameter: DateParameter }
  | { key: 'invalidDate'; parameter: DateParameter; value: string }
  | { key: 'invalidTimeZone'; value: string }
  | { key: 'objectRequired' }
  | { key: 'rangeReversed'; range: RangeKind }
  | { key: 'repeatedParameter'; name: string }
  | { key: 'unknownParameter'; name: string; nearest: string }
  | { key: 'invalidLimit'; value: string }
  | { key: 'limitAboveMaximum'; maximum: number }
  | { key: 'rangeAboveMaximum'; range: RangeKind; days: number }
  | { key: 'rowsAboveMaximum'; maximum: number }
  | { key: 'rowsAboveSheet'; maximum: number }
  | { key: 'positionsAboveMaximum'; maximum: number }
  | { key: 'idsRequired' }
  | { key: 'invalidIds'; parameter: IdsParameter; value: string }
  | { key: 'invalidBox'; value: string }
  | { key: 'tooManyValues'; parameter: string; maximum: number }
  | { key: 'invalidCursor' }
  | { key: 'invalidChoice'; parameter: string; value: string; choices: readonly string[] }
  | { key: 'outOfRange'; parameter: string; value: string; minimum: number; maximum: number }
  | { key: 'noTextAttribute'; value: string }
  | { key: 'unknownAttribute'; value: string }
  | { key: 'differsFromCursor'; parameter: string }
  | { key: 'cursorExpired' }
  | { key: 'objectNotFound' }
  | { key: 'placeNotFound' }
  | { key: 'quotaExhausted'; ids: readonly number[] }
  | { key: 'pathNotFound' }
  | { key: 'methodNotAllowed'; allow: string }
  | { key: 'unknownFormat'; value: string; formats: readonly string[] }
  | { key: 'malformedRequest' }
  | { key: 'headersTooLarge' }
  | { key: 'requestTimeout' }
  | { key: 'unavailable' }
  | { key: 'recordsNotDerived' }
  | { key: 'internal' }

export type ErrorCode =
  | 'ERR999'
  | 'PUBLIC.400_001'
  | 'PUBLIC.400_002'
  | 'PUBLIC.400_005'
  | 'PUBLIC.403_001'
  | 'PUBLIC.404_001'
  | 'PUBLIC.406_001'
  | 'PUBLIC.410_001'
  | 'SUBSCRIPTION.403_002'

/** An answer that denies. A refusal is a value; exceptions are for failures. */
export type Refusal = {
  readonly status: number
  readonly errorCode: ErrorCode
  readonly message: RefusalMessage
  /** The share of the work under way that is done, 0 to 1. */
  readonly progress?: number
  /** Headers of the refusal, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the connection must close, because what follows on it cannot be trusted. */
  readonly close?: boolean
}
/** By their fault, as RFC 6750, section 3, describes it. */
export const unauthorized: Record<KeyFault, Refusal> = {
  missing: challenge(
    'invalid_request',
    'No API key was sent. Send it in x-api-key, or in Authorization as a Bearer token',
  ),
  repeated: challenge(
    'invalid_request',
    'The API key was sent more than once. Send it in one header, x-api-key or Authorization',
  ),
  malformed: challenge(
    'invalid_request',
    'This cannot be an API key. A key is fg_live_ or fg_test_, and 36 letters and digits',
  ),
  invalid: challenge('invalid_token', 'The API key is unknown, has expired or was revoked'),
}

function challenge(error: string, description: string): Refusal {
  return {
    status: 401,
    errorCode: 'ERR999',
    message: { key: 'unauthorized' },
    headers: { 'www-authenticate': `Bearer error="${error}", error_description="${description}"` },
  }
}

/** `seconds`: whole seconds until a request would be admitted, rounded up. */
export function tooManyRequests(seconds: number): Refusal {
  return {
    status: 429,
    errorCode: 'ERR999',
    message: { key: 'tooManyRequests', seconds },
    headers: { 'retry-after': String(seconds) },
  }
}

/** No turn came while the request waited. The next try waits too, so it need not be late. */
export const tooManyWholeAnswers: Refusal = {
  ...tooManyRequests(10),
  message: { key: 'tooManyWholeAnswers' },
}

export const operationNotOpened: Refusal = {
  status: 403,
  errorCode: 'PUBLIC.403_001',
  message: { key: 'operationNotOpened' },
}

export function subscriptionInactive(state: Exclude<Subscription, 'active'>): Refusal {
  return {
    status: 403,
    errorCode: 'SUBSCRIPTION.403_002',
    message: { key: 'subscriptionInactive', state },
  }
}

export function invalidId(value: string, parameter: IdParameter = 'id'): Refusal {
  return invalidParameter({ key: 'invalidId', parameter, value: excerpt(value) })
}

export const objectRequired = invalidParameter({ key: 'objectRequired' })

export const fromTimeRequired = invalidParameter({ key: 'fromTimeRequired' })

export const toTimeRequired: Refusal = {
  status: 400,
  errorCode: 'PUBLIC.400_002',
  message: { key: 'toTimeRequired' },
}

export const timeRequired = invalidParameter({ key: 'timeRequired' })

export function invalidTime(parameter: TimeParameter, value: string): Refusal {
  return invalidParameter({ key: 'invalidTime', parameter, value: excerpt(value) })
}

export const fromDateRequired = invalidParameter({ key: 'dateRequired', parameter: 'from_date' })

export const toDateRequired: Refusal = {
  status: 400,
  errorCode: 'PUBLIC.400_002',
  message: { key: 'dateRequired', parameter: 'to_date' },
}

export function invalidDate(parameter: DateParameter, value: string): Refusal {
  return invalidParameter({ key: 'invalidDate', parameter, value: excerpt(value) })
}

export function invalidTimeZone(value: string): Refusal {
  return invalidParameter({ key: 'invalidTimeZone', value: excerpt(value) })
}

export const rangeReversed = invalidParameter({ key: 'rangeReversed', range: 'time' })
export const datesReversed = invalidParameter({ key: 'rangeReversed', range: 'date' })

export function repeatedParameter(name: string): Refusal {
  return invalidParameter({ key: 'repeatedParameter', name: excerpt(name) })
}

/** `nearest`: the most similar name of the operation's parameters. */
export function unknownParameter(name: string, nearest: string): Refusal {
  return invalidParameter({ key: 'unknownParameter', name: excerpt(name), nearest })
}

export function invalidLimit(value: string): Refusal {
  return invalidParameter({ key: 'invalidLimit', value: excerpt(value) })
}

/** The operator's `maxHistoryRows` is below the given `limit`. */
export function limitAboveMaximum(maximum: number): Refusal {
  return invalidParameter({ key: 'limitAboveMaximum', maximum })
}

/** The operator's `maxHistoryDays`, or the operation's own maximum. */
export function rangeAboveMaximum(days: number, range: RangeKind = 'time'): Refusal {
  return invalidParameter({ key: 'rangeAboveMaximum', range, days })
}

/** A range without a `limit` holds more rows than the operator's `maxHistoryRows`. */
export function rowsAboveMaximum(maximum: number): Refusal {
  return invalidParameter({ key: 'rowsAboveMaximum', maximum })
}

/** An answer in xlsx has more rows than a sheet takes. */
export function rowsAboveSheet(maximum: number): Refusal {
  return invalidParameter({ key: 'rowsAboveSheet', maximum })
}

/** A range holds more positions than the server compares for one answer. */
export function positionsAboveMaximum(maximum: number): Refusal {
  return invalidParameter({ key: 'positionsAboveMaximum', maximum })
}

export const idsRequired = invalidParameter({ key: 'idsRequired' })

export function invalidIds(value: string, parameter: IdsParameter = 'ids'): Refusal {
  return invalidParameter({ key: 'invalidIds', parameter, value: excerpt(value) })
}

/** A list with more values than it may have, repeated ones included. */
export function tooManyValues(parameter: string, maximum: number): Refusal {
  return invalidParameter({ key: 'tooManyValues', parameter, maximum })
}

export function invalidBox(value: string): Refusal {
  return invalidParameter({ key: 'invalidBox', value: excerpt(value) })
}

export const invalidCursor = invalidParameter({ key: 'invalidCursor' })

/** A parameter that takes one of some words, or a list of them. */
export function invalidChoice(
  parameter: string,
  value: string,
  choices: readonly string[],
): Refusal {
  return invalidParameter({ key: 'invalidChoice', parameter, value: excerpt(value), choices })
}

/** A name that the catalogue of attributes does not have, or does not show. */
export function noTextAttribute(name: string): Refusal {
  return invalidParameter({ key: 'noTextAttribute', value: excerpt(name) })
}

export function unknownAttribute(name: string): Refusal {
  return invalidParameter({ key: 'unknownAttribute', value: excerpt(name) })
}

/** An integer outside its bounds, both included. */
export function outOfRange(
  parameter: string,
  value: string,
  minimum: number,
  maximum: number,
): Refusal {
  return invalidParameter({ key: 'outOfRange', parameter, value: excerpt(value), minimum, maximum })
}

/** A parameter that is not the one for which the cursor was made. */
export function differsFromCursor(parameter: string): Refusal {
  return invalidParameter({ key: 'differsFromCursor', parameter })
}

/** The changes that follow the cursor are not kept any more, or are others. */
export const cursorExpired: Refusal = {
  status: 410,
  errorCode: 'PUBLIC.410_001',
  message: { key: 'cursorExpired' },
}

export const objectNotFound: Refusal = {
  status: 404,
  errorCode: 'PUBLIC.404_001',
  message: { key: 'objectNotFound' },
}

/** The request names places, and no one of them exists. */
export const placeNotFound: Refusal = {
  status: 404,
  errorCode: 'PUBLIC.404_001',
  message: { key: 'placeNotFound' },
}

export function quotaExhausted(ids: readonly number[]): Refusal {
  return { status: 400, errorCode: 'PUBLIC.400_005', message: { key: 'quotaExhausted', ids } }
}

export const pathNotFound: Refusal = {
  status: 404,
  errorCode: 'ERR999',
  message: { key: 'pathNotFound' },
}

/** `allow`: the methods of the path, as in the `Allow` header. */
export function methodNotAllowed(allow: string): Refusal {
  return {
    status: 405,
    errorCode: 'ERR999',
    message: { key: 'methodNotAllowed', allow },
    headers: { allow },
  }
}

/** `formats`: those that the operation has. */
export function unknownFormat(value: string, formats: readonly string[]): Refusal {
  return {
    status: 406,
    errorCode: 'PUBLIC.406_001',
    message: { key: 'unknownFormat', value: excerpt(value), formats },
  }
}

export const malformedRequest = brokenRequest(400, 'malformedRequest')
export const requestTimeout = brokenRequest(408, 'requestTimeout')
export const headersTooLarge = brokenRequest(431, 'headersTooLarge')

/** `seconds`: the time to wait before the next attempt. */
export function unavailable(seconds: number): Refusal {
  return {
    status: 503,
    errorCode: 'ERR999',
    message: { key: 'unavailable' },
    headers: { 'retry-after': String(seconds) },
  }
}

/** The records of the organization are derived for the first time. */
export function recordsNotDerived(progress: number): Refusal {
  return { ...unavailable(5), message: { key: 'recordsNotDerived' }, progress }
}

export const internal: Refusal = {
  status: 500,
  errorCode: 'ERR999',
  message: { key: 'internal' },
}

function invalidParameter(message: RefusalMessage): Refusal {
  return { status: 400, errorCode: 'PUBLIC.400_001', message }
}

function brokenRequest(
  status: number,
  key: 'malformedRequest' | 'requestTimeout' | 'headersTooLarge',
): Refusal {
  return { status, errorCode: 'ERR999', message: { key }, close: true }
}
