import Type, { type Static, type TSchema } from 'typebox'
import { TOKEN_SCOPES } from '../../domain/operator.ts'
import { DISTANCE_UNITS, LANGUAGES, SUBSCRIPTIONS } from '../../domain/organization.ts'
import { REFUSED_IDENT_MESSAGES, type RefusedIdentReason } from '../../domain/refused-ident.ts'
import {
  COUNTER_TYPES,
  DISTANCE_SOURCES,
  STOP_DETECTION_METHODS,
} from '../../domain/tracked-object.ts'

/**
 * The single source of what the operator's API takes and answers. Its description is generated from these
 * schemas. Times are ISO 8601 in UTC with milliseconds, days `YYYY-MM-DD` in UTC.
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

/** A change: a field that is left out stays as it is. */
function patchOf<Fields extends Record<string, TSchema>>(fields: Fields, description: string) {
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  )
  return Type.Object(optional, {
    description,
    additionalProperties: false,
  }) as unknown as TSchema & {
    static: { [Name in keyof Fields]?: Static<Fields[Name]> }
  }
}

const lonLat = Type.Unsafe<[number, number]>({
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'Longitude and latitude in degrees (WGS 84), in this order.',
})

// Sign-in

export const SESSION_STATES = ['setup', 'signed_out', 'signed_in'] as const

export const session = record(
  {
    state: choice(
      SESSION_STATES,
      '`setup`: no password is set, the one-time link lets one be set; `signed_out`: it is asked for; `signed_in`: it was given, or a token.',
    ),
    expires_at: instantOrNull('When this session ends by itself. Null if there is none.'),
  },
  'Whether the caller is signed in.',
)

export const signIn = record({ password: text('The operator’s password.') }, 'The password.')

export const setUp = record(
  {
    token: text('The part of the setup link after `#`.'),
    password: text('The password to be set: 12 to 200 characters.'),
  },
  'The first password.',
)

export const passwordChange = record(
  {
    current: text('The password that holds.'),
    next: text('The one in its place: 12 to 200 characters.'),
  },
  'Another password. All other sessions end.',
)

const SCOPE =
  'What it lets a program do. `read`: read everything. `organization`: manage one organization, and see nothing of others. `all`: whatever the console does.'

const token = record(
  {
    id: integer('Id of the token.'),
    name: text('What it is for.'),
    scope: choice(TOKEN_SCOPES, SCOPE),
    organization: integerOrNull('The organization that it manages. Null with any other scope.'),
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
    name: text('What it is for: 1 to 200 characters.'),
    scope: Type.Optional(choice(TOKEN_SCOPES, `${SCOPE} Left out: that of the issuer.`)),
    organization: Type.Optional(
      integerOrNull(
        'The organization that it manages, with the scope `organization` alone. Null, or left out: that of the issuer.',
      ),
    ),
    expires_at: Type.Optional(instantOrNull('When it ends. Null, or left out: never.')),
  },
  'A token to be issued. A token issues none that reaches farther than itself or lasts longer.',
)
export const issuedToken = record(
  { token, secret: text('The token itself. It is shown this once.') },
  'A token that was issued.',
)
export const tokens = items(token, 'The tokens that stand, by id.')

export const server = record(
  {
    version: text('Version of the server.'),
    now: instant('What time it is there.'),
    api_url: textOrNull('Where the public API answers, as printed at the start. Null: elsewhere.'),
    feed_url: textOrNull('Where the feed takes positions in. Null: elsewhere.'),
    map: record(
      {
        tiles_url: textOrNull(
          'Template of raster tiles with {z}, {x} and {y}. Null: the map that ships with the server.',
        ),
        attribution: textOrNull('What the map has to say of where its tiles come from.'),
      },
      'The base map.',
    ),
    languages: Type.Array(Type.String(), describe('Languages of the API’s messages.')),
    time_zones: Type.Array(Type.String(), describe('Names of time zones.')),
  },
  'The server and its configured surroundings.',
)

// Organizations

const organizationSettings = {
  name: text('Its name: 1 to 200 characters.'),
  distance_unit: choice(DISTANCE_UNITS, 'Unit of odometer, mileage and speeds in its answers.'),
  language: choice(LANGUAGES, 'Language of messages, unless a request asks for another.'),
  subscription: choice(SUBSCRIPTIONS, 'Whether it may use the position endpoints.'),
  daily_quota: integerOrNull('Charges per object and UTC day. Null: unlimited.'),
  create_objects: yes('Whether the feed makes an object for an ident that it does not know.'),
  max_objects: integer(
    'How many objects it may have. Objects that exist stay where the limit is lowered.',
  ),
  retention_days: integerOrNull('Days for which positions are kept. Null: for ever.'),
}
const organizationFields = {
  id: integer('Id of the organization.'),
  ...organizationSettings,
  created_at: instant('When it was created.'),
  updated_at: instant('When its settings were last changed.'),
}

export const organization = record(organizationFields, 'Who owns a fleet, and the keys to it.')
const { name, ...otherSettings } = organizationSettings
export const newOrganization = Type.Object(
  {
    name,
    ...Object.fromEntries(
      Object.entries(otherSettings).map(([field, schema]) => [field, Type.Optional(schema)]),
    ),
  },
  { description: 'An organization to be created.', additionalProperties: false },
) as unknown as TSchema & {
  static: { name: string } & {
    [Field in keyof typeof otherSettings]?: Static<(typeof otherSettings)[Field]>
  }
}
export const organizationPatch = patchOf(organizationSettings, 'The settings that change.')

const organizationSummary = record(
  {
    ...organizationFields,
    objects: integer('How many objects it has.'),
    objects_seen_today: integer(
      'How many of them have sent anything that was taken since 00:00 UTC.',
    ),
    keys: integer('How many API keys stand, neither revoked nor expired.'),
    requests_today: integer('Requests with one of its keys since 00:00 UTC, refused ones too.'),
    refused_today: integer('How many of them were refused because the rate window was full (429).'),
    quota_used: integerOrNull(
      'Highest number of charges of one object since 00:00 UTC. Null where there is no quota.',
    ),
    objects_exhausted: integer('How many objects have nothing left of today’s quota.'),
  },
  'An organization, and how it fares today.',
)
export const organizations = items(organizationSummary, 'Organizations, by id.')
export const summary = organizationSummary

// Keys

const credential = record(
  {
    id: integer('Its id.'),
    name: text('What it is for.'),
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
  },
  'An API key or a feed token. The secret itself is kept nowhere.',
)
export const credentials = items(credential, 'Keys or tokens by id, revoked and expired ones too.')
export const newCredential = record(
  {
    name: text('What it is for: 1 to 200 characters.'),
    expires_at: Type.Optional(instantOrNull('When it ends. Null, or left out: never.')),
  },
  'A key or token to be issued.',
)
export const rotation = record(
  { overlap_hours: real('Hours for which the old one stays good beside the new one: 0 to 8760.') },
  'A key to be issued in the place of another.',
)
export const issuedCredential = record(
  { credential, secret: text('The secret itself. It is shown this once.') },
  'A key or token that was issued.',
)
export const oneCredential = credential

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
  'How an organization used the API. Where other processes answer requests, up to a minute behind.',
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
          used: integer('Charges today.'),
          remaining: integerOrNull('What is left. Null: unlimited.'),
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

const accuracyFields = {
  device_timezone: text(
    'IANA name of the time zone in which times that the device sends without an offset are read.',
  ),
  maximum_hdop: real('Highest horizontal dilution of precision of a position that is accepted.'),
  minimum_difference_point: real(
    'Least distance in metres between two positions that are both accepted.',
  ),
  minimum_gps_level: real('Least GPS quality level of a position that is accepted.'),
  idle_speed_threshold: real('Speed in km/h that separates idling from standing.'),
  minimum_moving_speed: real('Speed in km/h from which an object counts as moving.'),
  distance_source: choice(DISTANCE_SOURCES, 'What distances are calculated from.'),
  stop_detection_method: choice(STOP_DETECTION_METHODS, 'How stops are detected.'),
}
const accuracy = record(accuracyFields, 'How positions are accepted and movement is detected.')
const accuracyPatch = patchOf(accuracyFields, 'The accuracy settings that change.')

const objectSettings = {
  name: text('Display name: 1 to 200 characters.'),
  ident: text(
    'The device’s own id, an IMEI or similar, unique in the organization: 1 to 64 characters.',
  ),
  vin: textOrNull('Vehicle identification number.'),
  plate_number: textOrNull('Plate number.'),
  engine_hours_type: choice(COUNTER_TYPES, 'Where engine hours come from.'),
  odometer_type: choice(COUNTER_TYPES, 'Where the odometer comes from.'),
  odometer_offset: real(
    'What is added to the odometer of a device’s sensor, in the distance unit of the organization.',
  ),
}

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
    time_last_stop: instantOrNull('When it last stood.'),
    motion: Type.Unsafe<(typeof MOTIONS)[number] | null>({
      type: ['string', 'null'],
      enum: [...MOTIONS, null],
      description:
        'How it moves. Null: unknown, or its last packet was taken more than 24 hours ago.',
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
    mileage: realOrNull('Of the current or last trip, in the distance unit of the organization.'),
    address: textOrNull('Latest known address.'),
  },
  'A tracked vehicle or asset, its settings, and where it is.',
)
export const object = objectRow
export const objects = items(objectRow, 'Objects, by id.')
export const newObject = Type.Object(
  {
    name: objectSettings.name,
    ident: objectSettings.ident,
    vin: Type.Optional(objectSettings.vin),
    plate_number: Type.Optional(objectSettings.plate_number),
    engine_hours_type: Type.Optional(objectSettings.engine_hours_type),
    odometer_type: Type.Optional(objectSettings.odometer_type),
    odometer_offset: Type.Optional(objectSettings.odometer_offset),
    accuracy: Type.Optional(accuracyPatch),
  },
  { description: 'An object to be created.', additionalProperties: false },
)
export const objectPatch = patchOf(
  { ...objectSettings, accuracy: accuracyPatch },
  'The settings that change; of `accuracy`, those that are named.',
)

export const rejects = items(
  record(
    {
      time_server: instantOrNull(
        'When the packet came. Null where no date can tell it, as with the next.',
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
      ident: text('What the tracker calls itself.'),
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

const stop = record(
  {
    from: instant('When it came to a stand.'),
    to: instantOrNull('When it moved on. Null: it stood still at the end of the range.'),
    motion: choice(['idle', 'stopped'] as const, 'With the engine running, or not.'),
    latitude: real('Degrees.'),
    longitude: real('Degrees.'),
  },
  'A stand of two minutes or more.',
)
const drive = {
  positions: integer('Positions that history shows.'),
  distance: real('Way in the distance unit of the organization.'),
  moving_seconds: integer('Time in which it moved.'),
  idle_seconds: integer('Time in which it was idle.'),
  stops: Type.Array(stop),
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
    ...drive,
  },
  'The way of an object in a range of time.',
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
    accuracy: accuracyPatch,
    from: instant('The range of time to try them on: its first moment.'),
    to: instant('Its last moment, at most 7 days later.'),
  },
  'Accuracy settings to be tried.',
)
const outcome = record(
  {
    ...drive,
    accepted: integer('Positions of the range that would be accepted.'),
    refused: Type.Array(
      record(
        { reason: text('A word.'), message: text('A sentence.'), positions: integer('How many.') },
        'Why positions would be refused.',
      ),
    ),
    line: Type.Array(lonLat, describe('The way that would be shown.')),
  },
  'What a day amounts to under some settings.',
)
export const preview = record(
  {
    before: outcome,
    after: outcome,
    truncated: yes(
      'Whether the range has more positions than are tried (100,000): the first ones are.',
    ),
  },
  'What accuracy settings would make of positions that are stored. Packets that were refused under the settings of their time are not stored and cannot come back.',
)

// Places

const times = {
  created_at: instant('When it was created.'),
  updated_at: instant('When it was last changed.'),
}
const description = textOrNull('Free text.')
const color = textOrNull('Display colour, hexadecimal.')

const geofenceSettings = {
  name: text('Name: 1 to 200 characters.'),
  description,
  color,
  coordinates: Type.Array(lonLat, describe('Vertices of the polygon.')),
}
const routeSettings = {
  name: text('Name: 1 to 200 characters.'),
  description,
  color,
  deviation: realOrNull('Allowed deviation in metres.'),
  points: Type.Array(
    record({ location: lonLat, order: integer('Place in the sequence.') }, 'A waypoint.'),
  ),
  coordinates: Type.Array(Type.Array(lonLat), describe('As of a GeoJSON MultiLineString.')),
}
const siteSettings = {
  name: text('Name: 1 to 200 characters.'),
  description,
  icon: textOrNull('Identifier of an icon.'),
  latitude: real('Latitude of the centre.'),
  longitude: real('Longitude of the centre.'),
  radius: realOrNull('Radius in metres.'),
}
export const geofence = record({ id: integer('Id.'), ...geofenceSettings, ...times }, 'A zone.')
export const route = record({ id: integer('Id.'), ...routeSettings, ...times }, 'A planned route.')
export const site = record(
  { id: integer('Id.'), ...siteSettings, ...times },
  'A point of interest.',
)
export const geofences = items(geofence, 'Geofences, by id.')
export const routes = items(route, 'Routes, by id.')
export const sites = items(site, 'Sites, by id.')
export const geofencePatch = patchOf(
  geofenceSettings,
  'Of a geofence, what changes; of a new one, all that it has.',
)
export const routePatch = patchOf(
  routeSettings,
  'Of a route, what changes; of a new one, all that it has.',
)
export const sitePatch = patchOf(
  siteSettings,
  'Of a site, what changes; of a new one, all that it has.',
)

export const featureCollection = Type.Unsafe<{ type: 'FeatureCollection'; features: unknown[] }>({
  type: 'object',
  description: 'GeoJSON (RFC 7946).',
})

const shown = record(
  {
    file: text('Name of the file.'),
    line: integer('Line, from 1.'),
    text: text('How it begins.'),
    detail: text('What is the matter with it.'),
  },
  'A line of the file.',
)
const tally = record({ count: integer('How many.'), first: Type.Array(shown) }, 'Rows of one fate.')
export const importSummary = record(
  {
    file: text('Name of the file.'),
    read: integer('Rows read: accepted, duplicate, conflict and rejected together.'),
    accepted: integer('Rows that were taken.'),
    duplicate: integer('Rows of what stood already, the same.'),
    conflict: integer('Rows that another contradicts.'),
    rejected: integer('Rows that cannot be taken.'),
    created: integer('Of the accepted, those that are new.'),
    updated: integer('Of the accepted, those that changed what stood.'),
    reasons: Type.Unsafe<Record<string, Static<typeof tally>>>({
      type: 'object',
      additionalProperties: tally,
      description: 'Of the rejected rows, by reason.',
    }),
    duplicates: tally,
    conflicts: tally,
    truncated: yes('Whether the file ends before its content does.'),
    notes: Type.Array(Type.String(), describe('What else there is to say.')),
    stopped: textOrNull('Why the rest was not read. Null: all was.'),
  },
  'What became of the rows of a file.',
)

// The audit log

export const audit = record(
  {
    items: Type.Array(
      record(
        {
          id: integer('Id of the entry.'),
          at: instant('When.'),
          actor: text('Who: `console`, `token <id> <name>`, or `command line`.'),
          action: text('What was done to what, such as `organization.update`.'),
          organization: integerOrNull('Whose it is. Null: the deployment’s.'),
          target: integerOrNull('Id of what it was done to.'),
          name: textOrNull('What that was called.'),
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
  'Who changed what, and when; the newest first.',
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
          { type: ['string', 'null'], enum: [...MOTIONS, null], description: 'Motion.' },
          {
            type: 'integer',
            description: 'When the position was taken: milliseconds since the epoch.',
          },
        ],
        description: 'Where an object is, by columns.',
      }),
    ),
  },
  'Where objects are. The first event tells of all that have a position, the others of those that changed.',
)
export type LiveObject = [
  id: number,
  longitude: number,
  latitude: number,
  angle: number | null,
  speed: number | null,
  motion: (typeof MOTIONS)[number] | null,
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
  Rotation: rotation,
  IssuedCredential: issuedCredential,
  Usage: usage,
  Quota: quota,
  Accuracy: accuracy,
  AccuracyPatch: accuracyPatch,
  FleetObject: objectRow,
  FleetObjects: objects,
  NewObject: newObject,
  ObjectPatch: objectPatch,
  Rejects: rejects,
  RefusedIdents: refusedIdents,
  Stop: stop,
  Track: track,
  PreviewAsked: previewAsked,
  PreviewOutcome: outcome,
  Preview: preview,
  Geofence: geofence,
  Geofences: geofences,
  GeofencePatch: geofencePatch,
  Route: route,
  Routes: routes,
  RoutePatch: routePatch,
  Site: site,
  Sites: sites,
  SitePatch: sitePatch,
  FeatureCollection: featureCollection,
  ImportSummary: importSummary,
  Audit: audit,
  LiveObjects: liveObjects,
  ErrorBody: error,
} satisfies Record<string, TSchema>
