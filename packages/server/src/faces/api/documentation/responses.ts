import { RATE_WINDOW } from '../../../base/domain/limits.ts'
import { MAP_FORMATS } from '../../../read/formats/formats.ts'
import { messageOf } from '../../../read/messages/refusal-messages.ts'
import {
  cursorExpired,
  internal,
  methodNotAllowed,
  objectNotFound,
  operationNotOpened,
  placeNotFound,
  type Refusal,
  recordsNotDerived,
  subscriptionInactive,
  tooManyRequests,
  tooManyWholeAnswers,
  unauthorized,
  unavailable,
  unknownFormat,
} from '../../../read/refusal.ts'
import { ratePolicy } from '../../../read/request-limits.ts'
import type { SchemaValue } from '../../../read/schemas/schemas.ts'

const { requests, seconds } = RATE_WINDOW

type Header = { description: string; schema: object; example: unknown }

/** Response headers by their names in the description. */
export const headers = {
  'X-RateLimit-Limit': integer('Maximum number of requests in the rate window.', requests),
  'X-RateLimit-Remaining': integer('Remaining requests in the rate window.', requests - 1),
  'X-RateLimit-Reset': integer('Seconds until the oldest request leaves the rate window.', seconds),
  'RateLimit-Policy': text(
    `The rate window as an IETF quota policy: ${requests} requests in ${seconds} seconds.`,
    ratePolicy(requests),
  ),
  RateLimit: text(
    'The remaining requests of that policy, and the seconds until the oldest request leaves the window.',
    `"default";r=${requests - 1};t=${seconds}`,
  ),
  'X-Quota-Limit': integer('Daily quota of each object. Only if the subscription sets one.', 1000),
  'X-Quota-Remaining': integer(
    'The remaining quota of today, rounded down. For several objects, the lowest of them. Only if the subscription sets one.',
    742,
  ),
  'X-Quota-Reset': integer(
    'Seconds until the quota is renewed at 00:00 UTC. Only if the subscription sets one.',
    50400,
  ),
  'X-Quota-Exhausted': text(
    'With `PUBLIC.400_005`: the ids of the first 100 objects whose quota is exhausted, separated by commas. `Retry-After` says when the quota is renewed. With `skip_exhausted`: the ids of the first 100 objects that were left out.',
    '1071,1072',
  ),
  ETag: text('Weak entity tag of the answer, for `If-None-Match`.', 'W/"6pQ2kX0v3mZb"'),
  'Cache-Control': text(
    'How the answer may be cached: `private, no-cache`, and `no-store` for an error.',
    'private, no-cache',
  ),
  Vary: text(
    'Request headers on which the answer depends: `Accept-Encoding`, `Accept` where there are several formats, and `Accept-Language` for an error.',
    'Accept-Encoding',
  ),
  Link: text(
    'The next page, if rows of the range remain: a full URL or an absolute path with a cursor, to be used unchanged.',
    '</public/v1/objects/1071/positions?from_time=2026-11-20T00%3A00%3A00.000Z&to_time=2026-11-20T23%3A59%3A59.999Z&limit=1000&cursor=bXk3Yw>; rel="next"',
  ),
  'X-Records-Until': text(
    'The time of the commit up to which records are derived. Later positions are not in the answer yet.',
    '2026-11-20T10:00:01.250Z',
  ),
  'X-Time-Zone': text(
    'The IANA time zone of the days in the answer, or of the times in a workbook. Other answers have none.',
    'Europe/Madrid',
  ),
  'X-Ignored-Parameters': text(
    'The names of parameters that the operation does not know and has ignored, percent-encoded and separated by commas: at most ten, of 40 characters. Absent if there are none, and where the operation refuses such parameters.',
    'object_id',
  ),
  Allow: text('The methods of the path.', 'GET, HEAD'),
  'Content-Language': text('Language of the message.', 'en'),
  'WWW-Authenticate': text(
    'Why the key was refused (RFC 6750). `invalid_request`: the request has no key, more than one, or something that cannot be a key. `invalid_token`: the key is unknown, revoked or expired.',
    'Bearer error="invalid_token", error_description="The API key is unknown, has expired or was revoked"',
  ),
  'X-Request-Id': text(
    'The id of this request. The operator can find the request in the log by this id. The server ignores an id that you send.',
    '5b0c6f2e9a41d7830c1be2f4',
  ),
  'Retry-After': integer('Whole seconds after which to try again.', 3),
} satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

export const RATE: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
]

/** On every answer that the rate window has been asked for, if the operation may ignore parameters. */
export const COUNTED: readonly HeaderName[] = [...RATE, 'X-Ignored-Parameters']

export const QUOTA: readonly HeaderName[] = ['X-Quota-Limit', 'X-Quota-Remaining', 'X-Quota-Reset']

/** The additional headers of a refusal by an exhausted quota. */
export const EXHAUSTED: readonly HeaderName[] = [...QUOTA, 'X-Quota-Exhausted', 'Retry-After']

/** On every answer. */
const ALWAYS: readonly HeaderName[] = ['Cache-Control', 'Vary', 'X-Request-Id']

/** The `headers` of a response. `names`: those that not every answer has. */
export function headerReferences(names: readonly HeaderName[]): object {
  const all = [...names, ...ALWAYS]
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function integer(description: string, example: number): Header {
  return { description, schema: { type: 'integer' }, example }
}

function text(description: string, example: string): Header {
  return { description, schema: { type: 'string' }, example }
}

/** The body of a refusal in English, at the time that all examples share. */
export function errorExample(refusal: Refusal): SchemaValue<'Error'> {
  return {
    statusCode: refusal.status,
    errorCode: refusal.errorCode,
    message: messageOf(refusal, 'en'),
    ...(refusal.progress !== undefined && { progress: refusal.progress }),
    timestamp: '2026-11-20T10:00:00.000Z',
  }
}

/** A response that refuses. `refusals` are its examples, named by their messages. */
export function errorResponse(
  description: string,
  headers: readonly HeaderName[],
  refusals: readonly Refusal[],
): object {
  const examples = refusals.map((refusal) => [
    exampleName(refusal),
    { summary: `${refusal.errorCode}: ${messageOf(refusal, 'en')}`, value: errorExample(refusal) },
  ])
  return {
    description,
    headers: headerReferences([...headers, 'Content-Language']),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function exampleName({ message }: Refusal): string {
  if (message.key === 'dateRequired') return `${message.key}-${message.parameter}`
  return 'state' in message ? `${message.key}-${message.state}` : message.key
}

/** Refusals that operations share, by their names in the description. */
export const errorResponses = {
  Unauthorized: errorResponse(
    'The key is missing, not valid, revoked or expired, or was not sent in exactly one header. `WWW-Authenticate` says which.',
    ['WWW-Authenticate'],
    [unauthorized.invalid],
  ),
  SubscriptionInactive: errorResponse(
    'The subscription of the organization is inactive or suspended, or the scope of the key does not include the operation.',
    COUNTED,
    [subscriptionInactive('suspended'), subscriptionInactive('inactive'), operationNotOpened],
  ),
  OperationNotOpened: errorResponse(
    'The scope of the key does not include the operation.',
    COUNTED,
    [operationNotOpened],
  ),
  ObjectNotFound: errorResponse('The organization has no such object.', COUNTED, [objectNotFound]),
  ObjectOrPlaceNotFound: errorResponse(
    'The organization has none of the objects, or none of the places.',
    COUNTED,
    [objectNotFound, placeNotFound],
  ),
  ObjectOrRouteNotFound: errorResponse('The organization has no such object or route.', COUNTED, [
    objectNotFound,
    placeNotFound,
  ]),
  MethodNotAllowed: errorResponse(
    'The method is neither GET nor HEAD. The request was not counted, whatever its key.',
    ['Allow'],
    [methodNotAllowed('GET, HEAD')],
  ),
  UnknownFormat: errorResponse(
    'The operation has no such `format`. The message names those that it has.',
    COUNTED,
    [unknownFormat('xls', MAP_FORMATS)],
  ),
  CursorExpired: errorResponse(
    'The server cannot continue from the cursor: it no longer keeps the changes, or the distance unit, the scope of the key or the data has changed. Start again without a cursor, and drop what the new snapshot does not name.',
    RATE,
    [cursorExpired],
  ),
  TooManyRequests: errorResponse(
    `The organization sent more than ${RATE_WINDOW.requests} requests in ${RATE_WINDOW.seconds} seconds, or more than the operator has set. Or an answer without \`limit\` waited for its turn for 10 seconds, which does not count. Wait for \`Retry-After\`, then try again.`,
    ['Retry-After', ...COUNTED],
    [tooManyRequests(3), tooManyWholeAnswers],
  ),
  Internal: errorResponse(
    'An internal error. Nothing was charged. Retry once. If it happens again, send `X-Request-Id` to the operator.',
    [],
    [internal],
  ),
  Unavailable: errorResponse(
    'The service is temporarily unavailable, or the records of your organization are being derived for the first time: `progress` is then the share that is done. Nothing was charged. Retry after `Retry-After`.',
    ['Retry-After'],
    [unavailable(5), recordsNotDerived(0.42)],
  ),
}

export type ErrorResponseName = keyof typeof errorResponses
