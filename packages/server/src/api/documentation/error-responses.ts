import { RATE_WINDOW } from '../../domain/limits.ts'
import { MAP_FORMATS } from '../encode/formats/formats.ts'
import { messageOf } from '../messages/messages.ts'
import {
  cursorExpired,
  internal,
  methodNotAllowed,
  objectNotFound,
  operationNotOpened,
  placeNotFound,
  type Refusal,
  subscriptionInactive,
  tooManyRequests,
  unauthorized,
  unavailable,
  unknownFormat,
} from '../refusal.ts'
import { type HeaderName, headerReferences, RATE } from './headers.ts'
import type { SchemaValue } from './schemas.ts'

/** The body of a refusal in English, at the time that all examples share. */
export function errorExample(refusal: Refusal): SchemaValue<'Error'> {
  return {
    statusCode: refusal.status,
    errorCode: refusal.errorCode,
    message: messageOf(refusal, 'en'),
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
    RATE,
    [subscriptionInactive('suspended'), subscriptionInactive('inactive'), operationNotOpened],
  ),
  OperationNotOpened: errorResponse('The scope of the key does not include the operation.', RATE, [
    operationNotOpened,
  ]),
  ObjectNotFound: errorResponse('The organization has no such object.', RATE, [objectNotFound]),
  ObjectOrPlaceNotFound: errorResponse(
    'The organization has none of the objects, or none of the places.',
    RATE,
    [objectNotFound, placeNotFound],
  ),
  ObjectOrRouteNotFound: errorResponse('The organization has no such object or route.', RATE, [
    objectNotFound,
    placeNotFound,
  ]),
  MethodNotAllowed: errorResponse(
    'Another method than GET and HEAD, whatever the key. Nothing was counted.',
    ['Allow'],
    [methodNotAllowed('GET, HEAD')],
  ),
  UnknownFormat: errorResponse(
    'The operation has no such `format`. The message names those that it has.',
    RATE,
    [unknownFormat('xlsx', MAP_FORMATS)],
  ),
  CursorExpired: errorResponse(
    'The cursor cannot be continued: its changes are no longer kept, or the distance unit, the scope of the key or the data has changed. Start again without a cursor, and drop what the new state does not name.',
    RATE,
    [cursorExpired],
  ),
  TooManyRequests: errorResponse(
    `More than ${RATE_WINDOW.requests} requests of the organization in ${RATE_WINDOW.seconds} seconds, unless the operator allows it another number. Wait for \`Retry-After\`, then try again.`,
    ['Retry-After', ...RATE],
    [tooManyRequests(3)],
  ),
  Internal: errorResponse(
    'A fault of the service. Nothing was charged. Try again once. If it happens again, give the operator `X-Request-Id`.',
    [],
    [internal],
  ),
  Unavailable: errorResponse(
    'A part of the service is down. Nothing was charged; try again after `Retry-After`.',
    ['Retry-After'],
    [unavailable(5)],
  ),
}

export type ErrorResponseName = keyof typeof errorResponses
