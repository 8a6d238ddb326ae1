import { readFileSync } from 'node:fs'
import { RATE_WINDOW } from '../../../base/domain/limits.ts'
import { LANGUAGES } from '../../../base/domain/organization.ts'
import { TAGS } from '../../../read/encode/tags.ts'
import {
  type Format,
  JSON_ALONE,
  MAP_FORMATS,
  MEDIA_TYPES,
  POSITION_FORMATS,
  TABLE_FORMATS,
} from '../../../read/formats/formats.ts'
import { type Refusal, unknownParameter } from '../../../read/refusal.ts'
import { bodyOf, named } from '../../../read/schemas/schemas.ts'
import type { Operation } from '../operation.ts'
import { OPERATIONS } from '../operations/api-operations.ts'
import {
  COUNTED,
  type ErrorResponseName,
  EXHAUSTED,
  errorResponse,
  errorResponses,
  type HeaderName,
  headerReferences,
  headers,
  QUOTA,
  RATE,
} from './responses.ts'

/*
 * The description of the API: `openapi.json`, with the parameters of all operations.
 */

const { withReferences, schemas } = referring(named)

/** The prose, with the rate window in it. */
function description(): string {
  const { requests, seconds } = RATE_WINDOW
  return readFileSync(new URL('description.md', import.meta.url), 'utf8')
    .replaceAll('{requests}', String(requests))
    .replaceAll('{seconds}', String(seconds))
}

/** The description of the public API, OpenAPI 3.1. */
export function openapi(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fleetgate API',
      version: '1.0.0',
      summary: 'Read-only access to the data of a fleet',
      description: description(),
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/public/v1', description: 'This host' }],
    // Only one scheme: generated clients send the key by every scheme named here, and the server refuses
    // that.
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths: Object.fromEntries(
      OPERATIONS.map((operation) => [operation.path, { get: operationObject(operation) }]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An API key of the organization.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same key as a Bearer token. Send it in one of the two headers.',
        },
      },
      parameters,
      headers,
      responses: errorResponses,
      schemas: schemas(),
    },
  }
}

function operationObject(operation: Operation): object {
  const names = parametersOf(operation)
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isPublic && { security: [] }),
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    }),
    responses: responses(operation),
  }
}

/** The media types of a success other than JSON. */
function otherMediaTypes(operation: Operation): string[] {
  if (operation.isPublic) return []
  const { formats = [], isStream } = operation
  const types = formats.map((format) => MEDIA_TYPES[format])
  const others = types.filter((type) => type !== MEDIA_TYPES.json)
  return isStream ? [...others, 'text/event-stream'] : others
}

/** The headers of a success. */
function headersOf(operation: Operation): HeaderName[] {
  if (operation.isPublic) return []
  const { hasEntityTag, headers: own = [], isCharged } = operation
  const names = parametersOf(operation)
  return [
    ...(names.includes('Cursor') ? (['Link'] as const) : []),
    ...own,
    ...(names.includes('SheetTimeZone') ? (['X-Time-Zone'] as const) : []),
    ...(operation.isContract ? COUNTED : RATE),
    ...(isCharged ? QUOTA : []),
    ...(names.includes('SkipUnpaid') ? (['X-Quota-Exhausted'] as const) : []),
    ...(hasEntityTag ? (['ETag'] as const) : []),
  ]
}

/** Examples of a 400. An operation of the contract ignores parameters that it does not know. */
export function badRequestsOf(operation: Operation): readonly Refusal[] {
  const { badRequests } = operation
  if (operation.isPublic || operation.isContract) return badRequests
  return [...badRequests, unknownParameter('object_id', 'ids')]
}

/** The errors that have a response of their own in the description, by their status. */
export function errorsOf(operation: Operation): Readonly<Record<number, ErrorResponseName>> {
  if (operation.isPublic) return { 405: 'MethodNotAllowed', 500: 'Internal' }
  const { errors, isPosition, openedBy } = operation
  const open = {
    401: 'Unauthorized',
    405: 'MethodNotAllowed',
    406: 'UnknownFormat',
    429: 'TooManyRequests',
    500: 'Internal',
    503: 'Unavailable',
  } as const
  if (openedBy.length === 0) return { ...open, ...errors }
  return { ...open, 403: isPosition ? 'SubscriptionInactive' : 'OperationNotOpened', ...errors }
}

function success(operation: Operation): object {
  const { result } = operation
  const others = otherMediaTypes(operation)
  const names = others.map((type) => `\`${type}\``).join(', ')
  const hint = others.length === 0 ? '' : ` Also available as ${names}.`
  const example = { statusCode: 200, result: result.example }
  return {
    description: operation.success + hint,
    headers: headerReferences(headersOf(operation)),
    content: {
      'application/json': { schema: withReferences(bodyOf(result)), example },
      ...Object.fromEntries(others.map((type) => [type, { schema: schemaOf(type) }])),
    },
  }
}

function schemaOf(type: string): object {
  return type === MEDIA_TYPES.xlsx ? { type: 'string', format: 'binary' } : { type: 'string' }
}

function responses(operation: Operation): object {
  const { isPublic } = operation
  const badRequests = badRequestsOf(operation)
  const mayExhaust = badRequests.some(({ errorCode }) => errorCode === 'PUBLIC.400_005')
  const shared = Object.entries(errorsOf(operation)).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ])
  // JavaScript puts integer keys in ascending order, whatever the order of insertion.
  return {
    200: success(operation),
    ...(!isPublic &&
      operation.hasEntityTag && {
        304: {
          description: 'Nothing has changed since the answer that `If-None-Match` names.',
          headers: headerReferences(headersOf(operation)),
        },
      }),
    ...(badRequests.length > 0 && {
      400: errorResponse(
        isPublic
          ? 'The request is not well-formed.'
          : 'The message names the parameter and the rule.',
        isPublic
          ? []
          : [...(operation.isContract ? COUNTED : RATE), ...(mayExhaust ? EXHAUSTED : [])],
        badRequests,
      ),
    }),
    ...Object.fromEntries(shared),
  }
}

/** Schemas by their names in a description, and references to them. */
export function referring(named: Readonly<Record<string, unknown>>) {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, each]) => [each, name]))

  /** A copy of a schema in which all other named schemas are references. */
  function withReferences(schema: unknown, self?: unknown): unknown {
    if (typeof schema !== 'object' || schema === null) return schema
    const name = names.get(schema)
    if (name !== undefined && schema !== self) return { $ref: `#/components/schemas/${name}` }
    if (Array.isArray(schema)) return schema.map((item) => withReferences(item))
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, withReferences(value)]),
    )
  }

  return {
    withReferences,
    /** The description's `components.schemas`. */
    schemas: () =>
      Object.fromEntries(
        Object.entries(named).map(([name, schema]) => [name, withReferences(schema, schema)]),
      ),
  }
}

const FORMATS: Readonly<Record<string, readonly Format[]>> = {
  TableFormat: TABLE_FORMATS,
  MapFormat: MAP_FORMATS,
  PositionFormat: POSITION_FORMATS,
  JsonFormat: JSON_ALONE,
}

/** The parameters that follow from what else an operation is. */
const COMMON = {
  ...Object.fromEntries(Object.entries(FORMATS).map(([key, formats]) => [key, formatOf(formats)])),
  SheetTimeZone: {
    name: 'tz',
    in: 'query',
    description:
      'Only with `format=xlsx`: the IANA time zone of the times, such as `Europe/Madrid`. Without it, UTC.',
    schema: { type: 'string' },
  },
  SheetTimeZoneName: {
    name: 'time_zone',
    in: 'query',
    description: 'Alias of `tz`. Use one of the two.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer that you have, such as `W/"6pQ2kX0v3mZb"`.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event of a stream. It takes precedence over `cursor`.',
    schema: { type: 'string' },
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: `Preferred languages of error messages, such as \`pt-BR, en;q=0.8\`. Available: ${LANGUAGES.join(', ')}. Without a match: the language of your organization.`,
    schema: { type: 'string' },
  },
}

function formatOf(formats: readonly Format[]) {
  return {
    name: 'format',
    in: 'query',
    description:
      formats === JSON_ALONE
        ? 'The format of the answer. Only `json` is available.'
        : 'The format of the rows. Without it, `Accept` decides. The default is `json`. Errors are always JSON.',
    schema: { type: 'string', enum: formats, default: 'json' },
  }
}

/** The names of an operation's parameters in the description, in its order. */
export function parametersOf(operation: Operation): string[] {
  const own = operation.parameters.documented.flatMap(({ described }) => Object.keys(described))
  if (operation.isPublic) return own
  const { formats = JSON_ALONE, hasEntityTag, isStream } = operation
  const format = Object.keys(FORMATS).filter((key) => FORMATS[key] === formats)
  return [
    ...own,
    ...format,
    ...(formats.includes('xlsx') && !own.includes('TimeZone')
      ? ['SheetTimeZone', 'SheetTimeZoneName']
      : []),
    ...(hasEntityTag ? ['IfNoneMatch'] : []),
    ...(isStream ? ['LastEventId'] : []),
    'AcceptLanguage',
  ]
}

const OWN: Readonly<Record<string, object>> = Object.assign(
  {},
  ...OPERATIONS.flatMap(({ parameters: { documented } }) =>
    documented.map((each) => each.described),
  ),
)

/** Readers compare descriptions as text, so parameters keep the order that they had. New ones follow. */
const FIRST = [
  ...['ObjectId', 'RouteId', 'OneObject', 'FromTime', 'ToTime', 'Limit', 'Cursor'],
  ...['LatestIds', 'IdsAt', 'BoundingBox', 'MaxAge', 'SkipUnpaid', 'Time', 'FleetLimit', 'Step'],
  ...['PositionInclude', 'ObjectIdent', 'ObjectVin', 'ObjectPlate', 'ObjectText'],
  ...['ChangesCursor', 'From', 'ChangesLimit', 'Wait', 'Types', 'ChangesIds', 'Include'],
  ...['RecordsFromTime', 'RecordsToTime', 'RecordsLimit', 'RecordsIds', 'FromDate', 'ToDate'],
  ...['TimeZone', 'Geofences', 'Sites', 'MinDuration', ...Object.keys(FORMATS), 'IfNoneMatch'],
  ...['SkipExhausted', 'LastEventId', 'AcceptLanguage'],
]

const ALL: Readonly<Record<string, object>> = { ...OWN, ...COMMON }

/**
 * Request parameters by their names in the description. One that a first request does not need has no
 * `example`, because tools would send it in a trial.
 */
export const parameters = Object.fromEntries(
  [...new Set([...FIRST, ...Object.keys(ALL)])].map((key) => [key, ALL[key]!]),
)
