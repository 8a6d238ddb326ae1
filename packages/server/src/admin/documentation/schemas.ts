import Type, { type Static, type TSchema } from 'typebox'
import * as records from '../../api/documentation/record-schemas.ts'
import { OBJECT_DEFAULTS } from '../../domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../domain/organization.ts'
import type { CurrentMotion } from '../../domain/position/signal.ts'
import { REFUSED_IDENT_MESSAGES, type RefusedIdentReason } from '../../domain/refused-ident.ts'
import {
  CREDENTIAL_RULES,
  KEY_RULES,
  type KeySettings,
  PASSWORD,
  ROTATION_RULES,
  TOKEN_RULES,
} from '../../domain/settings/access-settings.ts'
import { ACCURACY_RULES, ADMIN_OBJECT_RULES } from '../../domain/settings/object-settings.ts'
import { ORGANIZATION_RULES, OWN_SETTINGS } from '../../domain/settings/organization-settings.ts'
import {
  GEOFENCE_RULES,
  LON_LAT_SCHEMA,
  ROUTE_RULES,
  SITE_RULES,
} from '../../domain/settings/place-settings.ts'
import { documentedName, type Rule, type Rules } from '../../domain/settings/rule.ts'
import { SCOPE_RULES } from '../../domain/settings/scope-settings.ts'
import { WEBHOOK_DEFAULTS, WEBHOOK_RULES } from '../../domain/settings/webhook-settings.ts'
import { TEST_SCENARIOS, type TestScenario } from '../../domain/test-scenario.ts'
import { DELIVERY_KINDS } from '../../domain/webhook.ts'

/**
 * The operator's API takes and answers these. Its description is generated from them. The limits of settings
 * come from the rules that check them. Times are ISO 8601 in UTC with milliseconds, days `YYYY-MM-DD` in UTC.
 */

const describe = (description: string) => ({ description })
const text = (description: string) => Type.String(describe(description))
const integer = (description: string) => Type.Integer(describe(description))
const real = (description: string) => Type.Number(describe(description))
const yes = (description: string) => Type.Boolean(describe(description))
const instant = (description: string) => Type.String({ format: 'date-time', description })
const day = (description: string) => Type.String({ format: 'date', description })
const orNull = <Value>(type: string, description: string, more: object = {}) =>
  Type.Unsafe<Value | null>({ type: [type, 'null'], ...more, description })
const textOrNull = (description: string) => orNull<string>('string', description)
const integerOrNull = (description: string) => orNull<number>('integer', description)
const realOrNull = (description: string) => orNull<number>('number', description)
const instantOrNull = (description: string) =>
  orNull<string>('string', description, { format: 'date-time' })
const choice = <const Choices extends readonly string[]>(choices: Choices, description: string) =>
  Type.Unsafe<Choices[number]>({ type: 'string', enum: [...choices], description })
const record = <Fields extends Record<string, TSchema>>(fields: Fields, description: string) =>
  Type.Object(fields, { description, additionalProperties: false })
const items = <Item extends TSchema>(item: Item, description: string) =>
  record({ items: Type.Array(item) }, description)

type Fields = Record<string, TSchema>

/** The schema of the values that a rule allows. */
function ruled({ schema, optional }: Rule, description: string): TSchema {
  const { type, enum: choices } = schema
  if (!optional) return Type.Unsafe({ ...schema, description })
  const orNone = choices && { enum: [...choices, null] }
  return Type.Unsafe({ ...schema, ...orNone, type: [type, 'null'], description })
}

/** A field for each setting. */
function fieldsOf<Settings>(
  rules: Rules<Settings>,
  descriptions: Readonly<Record<keyof Settings, string>>,
): Fields {
  const keys = Object.keys(descriptions) as (keyof Settings & string)[]
  return Object.fromEntries(
    keys.map((key) => [documentedName(key), ruled(rules[key], descriptions[key])]),
  )
}

/** Fields of which these may be left out. */
function optionalIn(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      names.includes(name) ? Type.Optional(schema) : schema,
    ]),
  )
}

/** A new item: a field that may be null or has a default may be left out. */
function newOf(fields: Fields, defaults: object, description: string) {
  const nullable = Object.keys(fields).filter((name) => isNullable(fields[name]!))
  const known = Object.keys(defaults).map(documentedName)
  return record(optionalIn(fields, [...nullable, ...known]), description)
}

const isNullable = ({ type }: { type?: unknown }) => Array.isArray(type) && type.includes('null')

/** A change: a field that is left out stays as it is. */
const patchOf = (fields: Fields, description: string) =>
  record(optionalIn(fields, Object.keys(fields)), description)

const lonLat = Type.Unsafe<[number, number]>(LON_LAT_SCHEMA)

// Sign-in

export const SESSION_STATES = ['setup', 'signed_out', 'signed_in'] as const

export const session = record(
  {
    state: choice(
      SESSION_STATES,
      '`setup`: no password is set, the one-time link lets one be set; `signed_out`: it is asked for; `signed_in`: it was given, or a token.',
    ),
    expires_at: instantOrNull('When this session ends automatically. Null if it does not.'),
  },
  'Whether the caller is signed in.',
)

export const signIn = record({ password: text('The operator’s password.') }, 'The password.')

export const setUp = record(
  {
    token: text('The part of the setup link after `#`.'),
    password: ruled(PASSWORD, 'The password to be set.'),
  },
  'The first password.',
)

export const passwordChange = record(
  {
    current: text('The current password.'),
    next: ruled(PASSWORD, 'The new password.'),
  },
  'Another password. All other sessions end.',
)

const SCOPE =
  'The rights of a program with the token. `read`: read everything. `organization`: manage one organization, and see nothing of others. `all`: do everything that the console does.'

const token = record(
  {
    id: integer('Id of the token.'),
    name: text('Its purpose.'),
    scope: ruled(TOKEN_RULES.scope, SCOPE),
    organization: ruled(
      TOKEN_RULES.organization,
      'The organization that it manages. Null with any other scope.',
    ),
    issuer: integerOrNull(
      'Id of the token that issued it; it ends with that one. Null: the console or the command line issued it.',
    ),
    prefix: text('Its first characters.'),
    last_four: text('Its last four characters.'),
    created_at: instant('When it was issued.'),
    expires_at: instantOrNull('When it ends. Null: never.'),
    last_used_at: instantOrNull('When it was last used, to the minute. Null: never.'),
  },
  'A token with which a program uses this API: `Authorization: Bearer <token>`.',
)
export const newToken = record(
  {
    name: ruled(TOKEN_RULES.name, 'Its purpose.'),
    scope: Type.Optional(ruled(TOKEN_RULES.scope, `${SCOPE} Left out: that of the issuer.`)),
    organization: Type.Optional(
      ruled(
        TOKEN_RULES.organization,
        'The organization that it manages, with the scope `organization` alone. Null, or left out: that of the issuer.',
      ),
    ),
    expires_at: Type.Optional(instantOrNull('When it ends. Null, or left out: never.')),
  },
  'A token to be issued. A token cannot issue one that may do more than itself or that lasts longer.',
)
export const issuedToken = record(
  { token, secret: text('The token itself. It is shown only this once.') },
  'A token that was issued.',
)
export const tokens = items(token, 'The valid tokens, by id.')

export const server = record(
  {
    version: text('Version of the server.'),
    now: instant('The present time of the server.'),
    api_url: textOrNull('Where the public API answers, as printed at the start. Null: elsewhere.'),
    feed_url: textOrNull('Where the feed takes positions. Null: elsewhere.'),
    map: record(
      {
        tiles_url: textOrNull(
          'Template of raster tiles with {z}, {x} and {y}. Null: none is configured.',
        ),
        tiles_file: orNull<'vector' | 'raster'>(
          'string',
          'Type of the PMTiles file that `/server/map.pmtiles` answers with: vector tiles of the Protomaps basemap, or images. Null: there is none that can be used.',
          { enum: ['vector', 'raster', null] },
        ),
        attribution: textOrNull('The attribution of the tiles, which the map must show.'),
      },
      'The base map.',
    ),
    languages: Type.Array(Type.String(), describe('Languages of the API’s messages.')),
    time_zones: Type.Array(Type.String(), describe('Names of time zones.')),
  },
  'The server and its configured surroundings.',
)

// Organizations

const organizationSettings = fieldsOf(ORGANIZATION_RULES, {
  name: 'Its name.',
  distanceUnit: 'Unit of odometer, mileage and speeds in its answers.',
  language: 'Language of messages, unless a request asks for another.',
  subscription: 'Whether it may use the position endpoints.',
  dailyQuota: 'Charges per object and UTC day. Null: unlimited.',
  createObjects: 'Whether the feed makes an object for an ident that it does not know.',
  maxObjects: 'How many objects it may have. Objects that exist stay where the limit is lowered.',
  maxPlaces:
    'How many geofences, routes and sites it may have together. Places that exist stay where the limit is lowered.',
  maxVertices:
    'How many vertices its geofences and routes may have together: positions of rings and lines, and waypoints. Places that exist stay where the limit is lowered.',
  retentionDays: 'Days for which positions are kept. Null: forever.',
  signalTimeoutHours:
    'Hours without a packet after which an object has no signal: 24 where it was not set.',
  timeZone:
    'The IANA time zone of its days, unless a request names another: UTC where it was not set.',
})
const organizationFields = {
  id: integer('Id of the organization.'),
  ...organizationSettings,
  created_at: instant('When it was created.'),
  updated_at: instant('When its settings were last changed.'),
}

export const organization = record(organizationFields, 'An owner of a fleet and of its keys.')
export const newOrganization = newOf(
  organizationSettings,
  ORGANIZATION_DEFAULTS,
  'An organization to be created.',
)
export const organizationPatch = patchOf(
  organizationSettings,
  `The settings that change. A token with the scope \`organization\` changes ${OWN_SETTINGS.map(documentedName).join(', ')}. With any other setting it gets 403, and nothing changes.`,
)

const organizationSummary = record(
  {
    ...organizationFields,
    objects: integer('How many objects it has.'),
    objects_seen_today: integer(
      'How many of them have sent anything that was taken since 00:00 UTC.',
    ),
    keys: integer('How many API keys are valid, neither revoked nor expired.'),
    requests_today: integer('Requests with one of its keys since 00:00 UTC, refused ones too.'),
    refused_today: integer('How many of them were refused because the rate window was full (429).'),
    quota_used: integerOrNull(
      'The most that one object was charged since 00:00 UTC, rounded up. Null if there is no quota.',
    ),
    objects_exhausted: integer('How many objects have less than 1 left of today’s quota.'),
  },
  'An organization with today’s figures.',
)
export const organizations = items(organizationSummary, 'Organizations, by id.')
export const summary = organizationSummary

// Keys

const scopeFields = fieldsOf(SCOPE_RULES, {
  operations: 'The operations that the key opens. Null: all.',
  objects: 'The objects that the key opens. Null: all.',
  dataFrom:
    'The first `time_device` that the key shows; a date means its beginning in UTC. Null: any.',
  dataUntil: 'The last `time_device` that the key shows; a date means its end in UTC. Null: any.',
  windowShare:
    'The requests of each rate window that the key may use. Null: all of them. A token with the scope `organization` does not raise it.',
})
/** A scope, or null. */
const scopeOrNull = (fields: Fields, description: string) =>
  Type.Unsafe<Static<typeof keyScope> | null>({
    ...record(fields, description),
    type: ['object', 'null'],
  })
const keyScope = record(scopeFields, 'The scope of a key.')
const givenScope = scopeOrNull(
  optionalIn(scopeFields, Object.keys(scopeFields)),
  'The part of the organization that the key opens. Null, or left out: all of it.',
)

const credential = record(
  {
    id: integer('Its id.'),
    name: text('Its purpose.'),
    prefix: text('Its first characters.'),
    last_four: text('Its last four characters.'),
    created_at: instant('When it was issued.'),
    expires_at: instantOrNull('When it ends. Null: never.'),
    revoked_at: instantOrNull('When it was revoked. Null: it was not.'),
    last_used_at: instantOrNull('When it was last used, to the minute. Null: never.'),
    requests_today: integer('Requests with it since 00:00 UTC; of a feed token always 0.'),
    requests_30_days: integer(
      'Requests with it in the last 30 days, today among them; of a feed token always 0.',
    ),
    scope: scopeOrNull(
      scopeFields,
      'The part of the organization that an API key opens. Null: all of it. A feed token has none.',
    ),
    scenario: orNull<TestScenario>(
      'string',
      'How the simulated fleet answers a test key. Null: it is no test key.',
      { enum: [...TEST_SCENARIOS, null] },
    ),
  },
  'An API key or a feed token. The secret itself is kept nowhere.',
)
export const credentials = items(credential, 'Keys or tokens by id, revoked and expired ones too.')
export const newCredential = record(
  {
    ...fieldsOf(CREDENTIAL_RULES, { name: 'Its purpose.' }),
    expires_at: Type.Optional(instantOrNull('When it ends. Null, or left out: never.')),
  },
  'A key or token to be issued.',
)
export const newKey = record(
  {
    ...newCredential.properties,
    scope: Type.Optional(givenScope),
    ...optionalIn(
      fieldsOf<Pick<KeySettings, 'scenario'>>(KEY_RULES, {
        scenario:
          'Makes it a test key, which opens the simulated fleet: how that answers. Null, or left out: no test key.',
      }),
      ['scenario'],
    ),
  },
  'An API key to be issued.',
)
export const keyPatch = record({ scope: givenScope }, 'The scope that an API key gets.')
export const rotation = record(
  fieldsOf(ROTATION_RULES, {
    overlapHours: 'Hours for which the old one stays valid too.',
  }),
  'A key to be issued in place of another.',
)
export const issuedCredential = record(
  { credential, secret: text('The secret itself. It is shown only this once.') },
  'A key or token that was issued.',
)
export const oneCredential = credential

// Webhooks

const webhookSettings = fieldsOf(WEBHOOK_RULES, {
  url: 'Where the server sends changes.',
  types: 'The chosen types of changes. Null: all.',
  ids: 'The chosen objects. Null: all.',
  from: 'Where deliveries start, and where they start again after a resync.',
})
const webhookFields = {
  id: integer('Id of the webhook.'),
  ...webhookSettings,
  state: choice(
    ['on', 'failing', 'off'],
    '`failing`: the last try failed, and the delivery is tried again. `off`: nothing is sent.',
  ),
  off_at: instantOrNull('When it was switched off. Null: it is on.'),
  off_reason: orNull<'operator' | 'failing'>(
    'string',
    'Why it is off. `failing`: one delivery failed for three days. Null: it is on.',
    { enum: ['operator', 'failing', null] },
  ),
  failing_since: instantOrNull('The first of the tries that failed in a row. Null: none failed.'),
  failure: textOrNull('Why the last try of the pending delivery failed. Null: it did not.'),
  next_try_at: instantOrNull('When the pending delivery is tried again. Null: at once, or never.'),
  last_delivered_at: instantOrNull(
    'When a delivery last arrived, also while a later one fails. Null: none of those kept has.',
  ),
  old_secret_until: instantOrNull(
    'Until when the secret before the last rotation signs too. Null: there was no rotation.',
  ),
  created_at: instant('When it was registered.'),
  updated_at: instant('When its settings last changed.'),
}
export const webhook = record(
  webhookFields,
  'An endpoint that gets the changes of an organization.',
)
export const webhooks = items(webhook, 'Webhooks, by id.')
export const newWebhook = newOf(webhookSettings, WEBHOOK_DEFAULTS, 'A webhook to be registered.')
export const webhookPatch = patchOf(
  { ...webhookSettings, on: yes('Whether changes are sent.') },
  'The settings that change. With other types or ids, the webhook starts again with a resync.',
)
export const issuedWebhook = record(
  {
    webhook,
    secret: text('The secret that signs deliveries, `whsec_…`. It is shown only this once.'),
  },
  'A webhook with its new secret.',
)
export const webhookDelivery = record(
  {
    number: integer('Number of the delivery within its webhook.'),
    kind: choice(DELIVERY_KINDS, 'The `type` of the message.'),
    message_id: text('Its `webhook-id`, the same on every try.'),
    entries: integer('How many entries its page has.'),
    created_at: instant('When it was made.'),
    tries: integer('How often it was sent.'),
    tried_at: instantOrNull('The last try. Null: it was not tried yet.'),
    status: integerOrNull('Status of the last answer. Null: there was no answer.'),
    failure: textOrNull('Why the last try failed. Null: it did not.'),
    duration_ms: integerOrNull('Milliseconds until the last answer or failure.'),
    delivered_at: instantOrNull('When it first arrived. Null: it has not.'),
    next_try_at: instantOrNull('When it is tried again. Null: at once, or never.'),
    is_wanted: yes('Whether it is about to be sent once, outside of the order.'),
  },
  'A delivery, and its last try.',
)
export const webhookDeliveries = items(webhookDelivery, 'The newest deliveries, the newest first.')

// Usage

export const usage = record(
  {
    days: Type.Array(
      record(
        {
          day: day('The UTC day.'),
          requests: integer('Requests with a key of the organization.'),
          refused: integer('How many of them the rate window refused (429).'),
          answers: Type.Array(
            record(
              {
                operation: text(
                  'Name of the operation, as the API’s description has it; `none` where the path was unknown.',
                ),
                status: integer('Status of the answer.'),
                requests: integer('How many.'),
              },
              'Answers of one operation with one status.',
            ),
          ),
        },
        'One day.',
      ),
      describe('Each day of the range, ascending, those without requests too.'),
    ),
  },
  'How an organization used the API. If other processes answer requests, up to a minute old.',
)

export const quota = record(
  {
    limit: integerOrNull('Charges per object and UTC day. Null: unlimited.'),
    resets_at: instant('When the next day begins.'),
    items: Type.Array(
      record(
        {
          object: integer('Id of the object.'),
          name: text('Its name.'),
          ident: text('Its ident.'),
          used: integer('Charge of today, rounded up.'),
          remaining: integerOrNull('Rest of today’s quota, rounded down. Null: unlimited.'),
        },
        'An object that was charged today.',
      ),
      describe('Those that were charged today, the most charged first.'),
    ),
    charged: integer(
      'How many objects were charged today, also those that are not among the items.',
    ),
  },
  'Today’s quota, object by object.',
)

// Objects

export const MOTIONS = ['moving', 'idle', 'stopped'] as const
const CURRENT_MOTIONS = [...MOTIONS, 'no_signal', null] as const
const CURRENT_MOTION =
  'How it moves now. `no_signal`: no packet came, or was taken, within signal_timeout_hours of the organization. Null: its packets do not say.'

const accuracyFields = fieldsOf(ACCURACY_RULES, {
  deviceTimezone:
    'IANA name of the time zone in which times that the device sends without an offset are read.',
  maximumHdop: 'Highest horizontal dilution of precision of a position that is accepted.',
  minimumDifferencePoint:
    'Minimum distance in metres between two positions that are both accepted.',
  minimumGpsLevel: 'Minimum GPS quality level of a position that is accepted.',
  idleSpeedThreshold: 'Speed in km/h that separates idling from a stop.',
  minimumMovingSpeed: 'Speed in km/h from which an object counts as moving.',
  distanceSource: 'The source of distances.',
  stopDetectionMethod: 'How stops are detected.',
})
const accuracy = record(accuracyFields, 'How positions are accepted and movement is detected.')
const accuracyPatch = patchOf(accuracyFields, 'The accuracy settings that change.')

const objectSettings = fieldsOf(ADMIN_OBJECT_RULES, {
  name: 'Display name.',
  ident: 'The device’s own id, an IMEI or similar, unique in the organization.',
  vin: 'Vehicle identification number.',
  plateNumber: 'Plate number.',
  engineHoursType: 'Where engine hours come from.',
  odometerType: 'Where the odometer comes from.',
  odometerOffset:
    'The offset that is added to the odometer of a device’s sensor, in the distance unit of the organization.',
})
const objectRow = record(
  {
    id: integer('Id of the object.'),
    ...objectSettings,
    accuracy,
    created_at: instant('When it was created.'),
    time_server: instantOrNull('When a packet last came. Null: never.'),
    time_device: instantOrNull('Time of the latest position. Null: there is none.'),
    time_last_move: instantOrNull('When it last moved.'),
    time_last_idle: instantOrNull('When it was last idle.'),
    time_last_stop: instantOrNull('When it was last stopped.'),
    motion: Type.Unsafe<CurrentMotion>({
      type: ['string', 'null'],
      enum: [...CURRENT_MOTIONS],
      description: CURRENT_MOTION,
    }),
    latitude: realOrNull('Degrees.'),
    longitude: realOrNull('Degrees.'),
    altitude: realOrNull('Metres.'),
    angle: realOrNull('Heading, degrees clockwise from north.'),
    speed: realOrNull('In the distance unit of the organization per hour.'),
    hdop: realOrNull('Horizontal dilution of precision of the latest position.'),
    gps_level: realOrNull(
      'GPS quality level of the latest position, mostly the number of satellites.',
    ),
    ignition: orNull<boolean>('boolean', 'Whether the ignition was on at the latest position.'),
    engine_hours: realOrNull('Hours.'),
    odometer: realOrNull('In the distance unit of the organization.'),
    mileage: realOrNull(
      'Distance of the current or last trip, in the distance unit of the organization.',
    ),
    address: textOrNull('Latest known address.'),
  },
  'A tracked vehicle or asset, its settings, and where it is.',
)
export const object = objectRow
export const objects = items(objectRow, 'Objects, by id.')
export const newObject = newOf(
  { ...objectSettings, accuracy: accuracyPatch },
  OBJECT_DEFAULTS,
  'An object to be created.',
)
export const objectPatch = patchOf(
  { ...objectSettings, accuracy: accuracyPatch },
  'The settings that change; of `accuracy`, those that are named.',
)

export const rejects = items(
  record(
    {
      time_server: instantOrNull(
        'When the packet came. Null if no date can express it; likewise the next field.',
      ),
      time_device: instantOrNull('When the device says it was.'),
      reason: text('Why it was not accepted, a word.'),
      message: text('The same, a sentence.'),
      hdop: realOrNull('Horizontal dilution of precision.'),
      gps_level: realOrNull('GPS quality level.'),
      latitude: realOrNull('Degrees.'),
      longitude: realOrNull('Degrees.'),
    },
    'A packet that was not accepted.',
  ),
  'The last packets of an object that were not accepted, the newest first.',
)

export const refusedIdents = items(
  record(
    {
      ident: text('The identifier that the tracker sends.'),
      reason: choice(
        Object.keys(REFUSED_IDENT_MESSAGES) as RefusedIdentReason[],
        'Why the last packet made no object.',
      ),
      message: text('The same, a sentence.'),
      packets: integer('How many packets came since the ident is on the list.'),
      last_at: instant('When the last packet came.'),
      latitude: realOrNull('Where the last packet was sent from, degrees. Null: it had no fix.'),
      longitude: realOrNull('Degrees.'),
    },
    'An ident that trackers send and that no object has.',
  ),
  'The 100 idents that sent last, the newest first.',
)

const stand = record(
  {
    from: instant('When it stopped.'),
    to: instantOrNull('When it moved again. Null: it was still stopped at the end of the range.'),
    motion: choice(['idle', 'stopped'] as const, 'With the engine running, or not.'),
    latitude: real('Degrees.'),
    longitude: real('Degrees.'),
  },
  'A stop of two minutes or more.',
)
const totals = {
  positions: integer('Positions that history shows.'),
  distance: real('Way in the distance unit of the organization.'),
  moving_seconds: integer('Time in which it moved.'),
  idle_seconds: integer('Time in which it was idle.'),
}
export const track = record(
  {
    points: Type.Array(
      Type.Unsafe<TrackPoint>({
        type: 'array',
        prefixItems: [
          { type: 'integer', description: 'When it was taken: milliseconds since the epoch.' },
          { type: 'number', description: 'Longitude.' },
          { type: 'number', description: 'Latitude.' },
          { type: ['number', 'null'], description: 'Speed, in the distance unit per hour.' },
          { type: ['number', 'null'], description: 'Heading, degrees.' },
          { type: ['string', 'null'], enum: [...MOTIONS, null], description: 'Motion.' },
          { type: ['number', 'null'], description: 'Odometer, in the distance unit.' },
        ],
        description: 'A position, by columns.',
      }),
      describe('By time, ascending.'),
    ),
    truncated: yes(
      'Whether the range has more positions than were asked for: the first ones are given.',
    ),
    ...totals,
  },
  'The way of an object in a range of time. Its totals follow the rules of `GET /days` of the public API: a leg belongs to the range in which it ends.',
)
export type TrackPoint = [
  time: number,
  longitude: number,
  latitude: number,
  speed: number | null,
  angle: number | null,
  motion: (typeof MOTIONS)[number] | null,
  odometer: number | null,
]

export const previewAsked = record(
  {
    accuracy: Type.Optional(accuracyPatch),
    from: instant('The range of time to try them on: its first moment.'),
    to: instant('Its last moment, at most 7 days later.'),
  },
  'Accuracy settings to be tried.',
)
const outcome = record(
  {
    ...totals,
    stops: Type.Array(stand),
    accepted: integer('Positions of the range that would be accepted.'),
    refused: Type.Array(
      record(
        { reason: text('A word.'), message: text('A sentence.'), positions: integer('How many.') },
        'Why positions would be refused.',
      ),
    ),
    line: Type.Array(lonLat, describe('The way that would be shown.')),
  },
  'The results of a day under some settings.',
)
export const preview = record(
  {
    before: outcome,
    after: outcome,
    truncated: yes(
      'Whether the range has more positions than are tried (100,000): the first ones are.',
    ),
  },
  'The effect of accuracy settings on stored positions. Packets that earlier settings rejected are not stored and cannot come back.',
)

// Records

const failure = record(
  {
    kind: text('`object`, `geofence` or `site`.'),
    id: integer('Its id.'),
    failed_at: instant('The last attempt.'),
    error: text('The fault.'),
  },
  'An object whose records cannot be derived, or a place whose visits cannot be derived.',
)

const page = <Row extends TSchema>(row: Row, things: string) =>
  record(
    {
      items: Type.Array(row, describe('By object id, then by start.')),
      derived_until: instantOrNull(
        'The commit time up to which records are derived. Null: they are being derived for the first time, and the items are not all.',
      ),
      failures: Type.Array(
        failure,
        describe(
          'The first 20 objects and places of the organization whose records cannot be derived. They keep the records that they have. The server tries again, also when they change.',
        ),
      ),
      next: textOrNull('To be given as `cursor` for the next page. Null: there is none.'),
    },
    `A page of ${things}.`,
  )
export const trips = page(records.trip, 'trips')
export const stops = page(records.stop, 'stops')
export const visits = page(records.visit, 'visits')

const disclosure = record(
  {
    date: day('The day in UTC.'),
    key: integer('Id of the API key.'),
    key_name: textOrNull('Its purpose.'),
    object: integer('Id of the object.'),
    name: textOrNull('Its name. Null: it was deleted.'),
    ident: textOrNull('Its ident. Null: it was deleted.'),
    requests: integer('Requests with something of the object in their answers.'),
    rows: integer('Positions, states, records and days of the object in these answers.'),
  },
  'How much of an object a key was shown on a day.',
)
export const disclosures = record(
  {
    items: Type.Array(disclosure),
    has_more: yes('Whether there are more than `limit`; ask for fewer days, or the CSV file.'),
  },
  'Rows by day, key and object.',
)

export const csvFile = Type.String(
  describe(
    'RFC 4180 with a header row. An apostrophe precedes a text that a spreadsheet would run.',
  ),
)

// Places

const times = {
  created_at: instant('When it was created.'),
  updated_at: instant('When it was last changed.'),
}
const place = { name: 'Name.', description: 'Free text.' }
const color = 'Display colour, hexadecimal.'

const geofenceSettings = fieldsOf(GEOFENCE_RULES, {
  ...place,
  color,
  coordinates: 'Vertices of the polygon.',
})
const routeSettings = fieldsOf(ROUTE_RULES, {
  ...place,
  color,
  deviation: 'Allowed deviation in metres.',
  points: 'Its waypoints.',
  coordinates: 'As of a GeoJSON MultiLineString.',
})
const siteSettings = fieldsOf(SITE_RULES, {
  ...place,
  icon: 'Identifier of an icon.',
  latitude: 'Latitude of the centre.',
  longitude: 'Longitude of the centre.',
  radius: 'Radius in metres.',
})
export const geofence = record({ id: integer('Id.'), ...geofenceSettings, ...times }, 'A zone.')
export const route = record({ id: integer('Id.'), ...routeSettings, ...times }, 'A planned route.')
export const site = record(
  { id: integer('Id.'), ...siteSettings, ...times },
  'A point of interest.',
)
export const geofences = items(geofence, 'Geofences, by id.')
export const routes = items(route, 'Routes, by id.')
export const sites = items(site, 'Sites, by id.')
export const newGeofence = newOf(geofenceSettings, {}, 'A geofence to be created.')
export const newRoute = newOf(routeSettings, {}, 'A route to be created.')
export const newSite = newOf(siteSettings, {}, 'A site to be created.')
export const geofencePatch = patchOf(geofenceSettings, 'The fields of a geofence that change.')
export const routePatch = patchOf(routeSettings, 'The fields of a route that change.')
export const sitePatch = patchOf(siteSettings, 'The fields of a site that change.')

export const featureCollection = Type.Unsafe<{ type: 'FeatureCollection'; features: unknown[] }>({
  type: 'object',
  description: 'GeoJSON (RFC 7946).',
})

const shown = record(
  {
    file: text('Name of the file.'),
    line: integer('Line, from 1.'),
    text: text('How it begins.'),
    detail: text('The problem of the row.'),
  },
  'A line of the file.',
)
const tally = record(
  { count: integer('How many.'), first: Type.Array(shown) },
  'Rows with the same result.',
)
const byField = (description: string) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
  })
const columnUse = record(
  {
    used: byField('By field: the column that was mapped, or that has the field’s own name.'),
    guessed: byField('By field: the column that was recognized by another usual name.'),
    ignored: Type.Array(Type.String(), describe('The other columns.')),
  },
  'How the columns of the file were read. Several columns of one field are separated by commas. GPX has none.',
)
export const importSummary = record(
  {
    file: text('Name of the file.'),
    read: integer('Rows read: accepted, duplicate, conflict and rejected together.'),
    accepted: integer('Rows that were taken.'),
    duplicate: integer('Rows that exist already, unchanged.'),
    conflict: integer('Rows that another contradicts.'),
    rejected: integer('Rows that cannot be taken.'),
    created: integer('The number of accepted rows that created an item.'),
    updated: integer('The number of accepted rows that changed an existing item.'),
    reasons: Type.Unsafe<Record<string, Static<typeof tally>>>({
      type: 'object',
      additionalProperties: tally,
      description: 'The number of rejected rows by reason.',
    }),
    duplicates: tally,
    conflicts: tally,
    columns: columnUse,
    truncated: yes('Whether the file is cut off.'),
    notes: Type.Array(Type.String(), describe('Further remarks.')),
    stopped: textOrNull('Why the rest was not read. Null: all was.'),
  },
  'The results for the rows of a file.',
)

export const importPreview = record(
  {
    file: text('Name of the file.'),
    fields: Type.Array(
      record(
        { name: text('Name.'), required: yes('Whether it must have a column.') },
        'A field that a column can fill.',
      ),
    ),
    columns: columnUse,
    rows: Type.Array(
      record(
        {
          line: integer('Line of the file, from 1.'),
          text: text('The row, up to 160 characters.'),
          ident: textOrNull('Ident of the object.'),
          time_device: instantOrNull('When the position was taken.'),
          latitude: realOrNull('Degrees.'),
          longitude: realOrNull('Degrees.'),
          speed: realOrNull('km/h.'),
          rejected: textOrNull('Why the row would be rejected. Null: it would be taken.'),
        },
        'A row as it would be read.',
      ),
    ),
    notes: Type.Array(Type.String(), describe('Remarks, as sentences.')),
    problem: textOrNull('Why the import would be refused. Null: it would begin.'),
  },
  'How a file of positions would be read.',
)

// The audit log

export const audit = record(
  {
    items: Type.Array(
      record(
        {
          id: integer('Id of the entry.'),
          at: instant('When.'),
          actor: text('The actor: `console`, `token <id> <name>`, or `command line, user <name>`.'),
          action: text('The action and its target, such as `organization.update`.'),
          organization: integerOrNull('The organization of the target. Null: the deployment.'),
          target: integerOrNull('Id of what it was done to.'),
          name: textOrNull('The name of the target at that time.'),
          changes: Type.Unsafe<Record<string, { from?: unknown; to?: unknown }> | null>({
            type: ['object', 'null'],
            description:
              'By the name of a setting, what it was (`from`) and what it became (`to`).',
          }),
        },
        'A change.',
      ),
    ),
    next: integerOrNull('To be given as `before` for the next page. Null: there is none.'),
  },
  'The recorded changes with actor and time, the newest first.',
)

// Live updates

export const liveObjects = record(
  {
    items: Type.Array(
      Type.Unsafe<LiveObject>({
        type: 'array',
        prefixItems: [
          { type: 'integer', description: 'Id of the object.' },
          { type: 'number', description: 'Longitude.' },
          { type: 'number', description: 'Latitude.' },
          { type: ['number', 'null'], description: 'Heading, degrees.' },
          { type: ['number', 'null'], description: 'Speed, in the distance unit per hour.' },
          { type: ['string', 'null'], enum: [...CURRENT_MOTIONS], description: CURRENT_MOTION },
          {
            type: 'integer',
            description: 'When the position was taken: milliseconds since the epoch.',
          },
        ],
        description: 'Where an object is, by columns.',
      }),
    ),
  },
  'Where objects are. The first event has all that have a position, the others have those that changed.',
)
export type LiveObject = [
  id: number,
  longitude: number,
  latitude: number,
  angle: number | null,
  speed: number | null,
  motion: CurrentMotion,
  time: number,
]

export const error = record(
  {
    code: text('A word for programs to decide by.'),
    message: text('A sentence that says what is wrong and what to do.'),
    field: textOrNull('The wrong field. Null if no field is wrong.'),
  },
  'The body of every error.',
)

const progress = record(
  {
    rows: integer('Rows read so far.'),
    bytes: integer('Bytes read so far.'),
    size: integer('Bytes of the file.'),
  },
  'How far a file is read.',
)
export const importLine = record(
  {
    progress: Type.Optional(progress),
    summary: Type.Optional(importSummary),
    error: Type.Optional(error),
  },
  'A line of an answer that shows its progress. It has one of these members. The last line has the summary or the error.',
)

/** The schemas that the description lists by name. */
export const named = {
  Session: session,
  SignIn: signIn,
  SetUp: setUp,
  PasswordChange: passwordChange,
  Token: token,
  Tokens: tokens,
  NewToken: newToken,
  IssuedToken: issuedToken,
  Server: server,
  Organization: organization,
  OrganizationSummary: organizationSummary,
  Organizations: organizations,
  NewOrganization: newOrganization,
  OrganizationPatch: organizationPatch,
  Credential: credential,
  Credentials: credentials,
  NewCredential: newCredential,
  NewKey: newKey,
  KeyPatch: keyPatch,
  Rotation: rotation,
  IssuedCredential: issuedCredential,
  Webhook: webhook,
  Webhooks: webhooks,
  NewWebhook: newWebhook,
  WebhookPatch: webhookPatch,
  IssuedWebhook: issuedWebhook,
  WebhookDelivery: webhookDelivery,
  WebhookDeliveries: webhookDeliveries,
  Usage: usage,
  Quota: quota,
  Disclosure: disclosure,
  Disclosures: disclosures,
  Accuracy: accuracy,
  AccuracyPatch: accuracyPatch,
  FleetObject: objectRow,
  FleetObjects: objects,
  NewObject: newObject,
  ObjectPatch: objectPatch,
  Rejects: rejects,
  RefusedIdents: refusedIdents,
  Stand: stand,
  Track: track,
  PreviewAsked: previewAsked,
  PreviewOutcome: outcome,
  Preview: preview,
  Trip: records.trip,
  Trips: trips,
  Stop: records.stop,
  Stops: stops,
  Visit: records.visit,
  Visits: visits,
  Geofence: geofence,
  Geofences: geofences,
  NewGeofence: newGeofence,
  GeofencePatch: geofencePatch,
  Route: route,
  Routes: routes,
  NewRoute: newRoute,
  RoutePatch: routePatch,
  Site: site,
  Sites: sites,
  NewSite: newSite,
  SitePatch: sitePatch,
  FeatureCollection: featureCollection,
  ImportSummary: importSummary,
  ImportPreview: importPreview,
  ImportLine: importLine,
  Audit: audit,
  LiveObjects: liveObjects,
  ErrorBody: error,
} satisfies Record<string, TSchema>
