import Type, { type TSchema } from 'typebox'
import { KEY_OPERATIONS } from '../../base/domain/key-scope.ts'
import { RATE_WINDOW } from '../../base/domain/limits.ts'
import { DISTANCE_UNITS, LANGUAGES } from '../../base/domain/organization.ts'
import {
  idOf,
  instant,
  nullableInstant,
  nullableInteger,
  record,
  recordWith,
} from './value-schemas.ts'

/** The key of a request, and what it has used. Fields are in the order in which they are written. */

const listOrNull = <Item extends TSchema>(items: Item, description: string) =>
  Type.Unsafe<readonly Type.Static<Item>[] | null>({
    type: ['array', 'null'],
    items,
    description,
  })

export const keyOperation = Type.Enum([...KEY_OPERATIONS], {
  type: 'string',
  description: 'A name in a scope. It gives access to one or more operations.',
})

const shownObjects = listOrNull(
  Type.Integer({ minimum: 0 }),
  'The ids of the objects that the key shows. Null: all.',
)
const firstTime = nullableInstant({
  description: 'The first `time_device` that the key shows. Null: any.',
  examples: ['2026-11-16T00:00:00.000Z'],
})
const lastTime = nullableInstant({
  description: 'The last `time_device` that the key shows. Null: any.',
  examples: ['2026-11-22T23:59:59.999Z'],
})

export const grant = record(
  {
    objects: shownObjects,
    from: firstTime,
    until: lastTime,
    attributes: listOrNull(
      Type.String(),
      'The names of the attributes that the key shows. Null: all public ones.',
    ),
  },
  'Objects, and the part of their data that the key shows.',
)

const keyScope = recordWith(
  {
    operations: listOrNull(keyOperation, 'The operations that the key can use. Null: all.'),
    window_share: nullableInteger({
      description: 'The requests of each rate window that the key may use. Null: all.',
      minimum: 1,
      maximum: RATE_WINDOW.maxRequests,
      examples: [3],
    }),
  },
  {
    objects: shownObjects,
    data_from: firstTime,
    data_until: lastTime,
    attributes: Type.Unsafe<readonly string[]>({
      type: 'array',
      items: Type.String(),
      description: 'The names of the attributes that the key shows. Left out: all public ones.',
      examples: [['fuel_level']],
    }),
    grants: Type.Array(grant, {
      description: 'The data that the key shows, instead of the other fields: several grants.',
    }),
  },
  'The data and operations that a key has access to.',
  ['operations', 'objects', 'data_from', 'data_until', 'grants', 'window_share', 'attributes'],
)

const keyOrganization = record(
  {
    name: Type.String({ examples: ['Harbour Logistics'] }),
    time_zone: Type.String({
      description: 'The IANA time zone of its days, which `/days` uses without `tz`.',
      examples: ['Europe/Madrid'],
    }),
    distance_unit: Type.Enum([...DISTANCE_UNITS], {
      type: 'string',
      description: 'The unit of all distances and speeds.',
    }),
    language: Type.Enum([...LANGUAGES], {
      type: 'string',
      description: 'The language of messages without `Accept-Language`.',
    }),
  },
  'The organization of the key, and its settings that the answers depend on.',
)

export const key = record(
  {
    name: Type.String({ description: 'Its purpose.', examples: ['Night report'] }),
    prefix: Type.String({
      description: 'Its first characters, by which you recognize it.',
      examples: ['fg_live_k3Xz'],
    }),
    scope: Type.Unsafe<Type.Static<typeof keyScope> | null>({
      ...keyScope,
      type: ['object', 'null'],
      description: 'The data and operations that it has access to. Null: full access.',
    }),
    created_at: instant({
      description: 'When it was issued.',
      examples: ['2026-11-02T08:15:00.000Z'],
    }),
    expires_at: nullableInstant({
      description: 'When it expires. Null: never.',
      examples: ['2027-01-31T23:59:59.999Z'],
    }),
    organization: keyOrganization,
  },
  'The key of the request.',
)

const whole = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, examples: [example] })

const usageWindow = record(
  {
    limit: whole(`The requests in ${RATE_WINDOW.seconds} seconds.`, RATE_WINDOW.requests),
    remaining: whole(
      'The requests that would still be admitted, after this one.',
      RATE_WINDOW.requests - 1,
    ),
    reset: whole('Seconds until the oldest request leaves the window.', RATE_WINDOW.seconds),
  },
  'The rate window, as in the headers.',
)

export const objectQuota = record(
  {
    id: idOf('object', [1071]),
    used: whole('Used units of today, rounded up.', 12),
    remaining: nullableInteger({
      description: 'Units left, rounded down. Null without a limit.',
      minimum: 0,
      examples: [988],
    }),
  },
  'The quota of an object that was used today.',
)

const usageQuota = record(
  {
    limit: nullableInteger({
      description: 'The daily quota of each object. Null: no limit.',
      minimum: 0,
      examples: [1000],
    }),
    reset: whole('Seconds until the quota is renewed at 00:00 UTC.', 50_400),
    objects: Type.Array(objectQuota, { description: 'The objects that were used today, by id.' }),
  },
  'The daily quota.',
)

export const requestCount = record(
  {
    date: Type.String({ description: 'The day in UTC.', format: 'date', examples: ['2026-11-20'] }),
    operation: Type.String({ description: 'The id of the operation.', examples: ['getObject'] }),
    status: whole('The HTTP status.', 200),
    requests: whole('How many requests got it.', 240),
  },
  'The requests of a day that got one status from one operation.',
)

const usageMaxima = record(
  {
    history_rows: nullableInteger({
      description: 'The maximum number of rows in one history. Null: no maximum.',
      minimum: 1,
      examples: [100_000],
    }),
    history_days: nullableInteger({
      description: 'The maximum number of days in the range of one request. Null: no maximum.',
      minimum: 1,
      examples: [31],
    }),
    ids: whole('The maximum number of ids in one request.', 1_000),
    streams: whole(
      'The maximum number of streams of an organization, or of a key with a smaller share of the window.',
      10,
    ),
    changes_days: whole(
      'The days for which changes are kept and cursors of `/changes` are valid.',
      30,
    ),
  },
  'The limits of this service.',
)

export const usage = record(
  {
    window: usageWindow,
    quota: usageQuota,
    requests: Type.Array(requestCount, {
      description:
        'The requests with this key in the last 30 days, by day, operation and status. Requests to other processes may be a minute late.',
    }),
    maxima: usageMaxima,
  },
  'The usage of a key, and what is left of its limits.',
)
