import {
  type Format,
  MAP_FORMATS,
  POSITION_FORMATS,
  TABLE_FORMATS,
} from '../encode/formats/formats.ts'
import {
  datesReversed,
  differsFromCursor,
  fromDateRequired,
  fromTimeRequired,
  idsRequired,
  invalidBox,
  invalidChoice,
  invalidCursor,
  invalidDate,
  invalidId,
  invalidIds,
  invalidLimit,
  invalidTime,
  invalidTimeZone,
  limitAboveMaximum,
  malformedRequest,
  objectRequired,
  outOfRange,
  positionsAboveMaximum,
  quotaExhausted,
  type Refusal,
  rangeAboveMaximum,
  rangeReversed,
  repeatedParameter,
  rowsAboveMaximum,
  timeRequired,
  toDateRequired,
  tooManyIds,
  toTimeRequired,
} from '../refusal.ts'
import type { ErrorResponseName } from './error-responses.ts'
import { type HeaderName, QUOTA, RATE } from './headers.ts'
import type { ParameterName } from './parameters.ts'
import type { OperationId } from './schemas.ts'

export const TAGS = [
  { name: 'Objects', description: 'The tracked vehicles and assets of your organization.' },
  { name: 'Positions', description: 'Where objects are, and where they have been.' },
  { name: 'Changes', description: 'The changes in your fleet, in order.' },
  {
    name: 'Records',
    description: 'Trips, stops, visits and days, derived from positions and places.',
  },
  { name: 'Places', description: 'Geofences, routes and sites of your organization.' },
  { name: 'Service', description: 'The service itself.' },
] as const

type Tag = (typeof TAGS)[number]['name']

/** The description of one operation. Schemas and examples of its 200 are found by its id. */
export type OperationDescription = {
  path: string
  tag: Tag
  summary: string
  description: string
  parameters: readonly ParameterName[]
  isPublic: boolean
  success: string
  successHeaders: readonly HeaderName[]
  /** The formats of its answer besides JSON. */
  formats?: readonly Format[]
  /** Whether it answers with server-sent events too. */
  isStream?: true
  hasEntityTag: boolean
  /** Examples of its 400. Empty if no parameter can be wrong. */
  badRequests: readonly Refusal[]
  errors: Readonly<Record<number, ErrorResponseName>>
}

/** Errors of operations that every key opens. */
const OPEN = {
  401: 'Unauthorized',
  406: 'UnknownFormat',
  429: 'TooManyRequests',
  500: 'Internal',
  503: 'Unavailable',
} as const

const COMMON = { ...OPEN, 403: 'OperationNotOpened' } as const

export const operations: Readonly<Record<OperationId, OperationDescription>> = {
  listObjects: list(
    '/objects',
    'Objects',
    'List objects',
    'The objects of your organization by `id`, ascending, without their current positions: all of them, or those that fit each given filter.',
    'The objects of the organization.',
    ['ObjectIdent', 'ObjectVin', 'ObjectPlate', 'ObjectText'],
  ),
  getObject: {
    path: '/objects/{id}',
    tag: 'Objects',
    summary: 'Get an object',
    description:
      'One object with a snapshot of where it is. Each call, one that is answered with 304 too, adds 1 to the daily counter of the object, and is served even when its quota is exhausted.',
    parameters: ['ObjectId', 'IfNoneMatch', 'AcceptLanguage'],
    isPublic: false,
    success: 'The object.',
    successHeaders: [...RATE, ...QUOTA, 'ETag'],
    hasEntityTag: true,
    badRequests: [invalidId('12abc')],
    errors: { ...COMMON, 404: 'ObjectNotFound' },
  },
  listPositions: {
    path: '/objects/{id}/positions',
    tag: 'Positions',
    summary: 'List positions of an object',
    description:
      'The recorded positions of one object in a range of time, by `time_device`, ascending. Without `limit` the whole range is streamed; with it, follow `Link` for the rows that are left. Each page costs 1 of the daily quota of the object.',
    parameters: [
      ...(['ObjectId', 'FromTime', 'ToTime', 'Step', 'PositionInclude', 'Limit'] as const),
      ...(['Cursor', 'PositionFormat', 'AcceptLanguage'] as const),
    ],
    formats: POSITION_FORMATS,
    isPublic: false,
    success: 'The positions of the range, or a page of them.',
    successHeaders: ['Link', ...RATE, ...QUOTA],
    hasEntityTag: false,
    badRequests: [
      fromTimeRequired,
      toTimeRequired,
      invalidTime('to_time', '2026-02-30'),
      rangeReversed,
      invalidLimit('0'),
      outOfRange('step', '0', 1, 86_400),
      invalidChoice('include', 'all', ['quality', 'exact']),
      invalidCursor,
      repeatedParameter('limit'),
      invalidId('12abc'),
      limitAboveMaximum(100_000),
      rowsAboveMaximum(100_000),
      rangeAboveMaximum(31),
      quotaExhausted([1071]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
    },
  },
  latestPositions: {
    path: '/positions/latest',
    tag: 'Positions',
    summary: 'Get latest positions',
    description:
      'The latest position of each object asked for, in the order asked, or with `ids=all` by `id`. `bbox` and `max_age` leave out objects whose latest position does not fit, and those without one. An object that never had a position has null in its place; ids that your organization does not have are left out; where it has none of them, the answer is 404. Costs 1 of the daily quota of each object in the answer. Where an object asked for is exhausted, in the answer or not, the whole call is refused and no object charged, unless `skip_exhausted` leaves it out.',
    parameters: [
      'LatestIds',
      'BoundingBox',
      'MaxAge',
      'SkipUnpaid',
      'PositionInclude',
      'PositionFormat',
      'AcceptLanguage',
    ],
    formats: POSITION_FORMATS,
    isPublic: false,
    success: 'One row for each object found.',
    successHeaders: [...RATE, ...QUOTA, 'X-Quota-Exhausted'],
    hasEntityTag: false,
    badRequests: [
      idsRequired,
      invalidIds('12abc'),
      tooManyIds(1000),
      invalidBox('1,2,3'),
      outOfRange('max_age', '-1', 0, 315_360_000),
      invalidChoice('include', 'all', ['quality', 'exact']),
      repeatedParameter('bbox'),
      quotaExhausted([1071, 1072]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
    },
  },
  positionsAt: {
    path: '/positions/at',
    tag: 'Positions',
    summary: 'Get positions at a moment',
    description:
      'The newest position of each object at or before a moment, in the order asked, or with `ids=all` by `id`. An object without one has null in all fields but `id`, `ident` and `name`. Ids that your organization does not have are left out; where it has none of them, the answer is 404. Costs 1 of the daily quota of each object in the answer. Where an object asked for is exhausted, in the answer or not, the whole call is refused and no object charged, unless `skip_exhausted` leaves it out.',
    parameters: [
      ...(['Time', 'IdsAt', 'SkipUnpaid', 'PositionInclude', 'PositionFormat'] as const),
      'AcceptLanguage',
    ],
    formats: POSITION_FORMATS,
    isPublic: false,
    success: 'One row for each object found.',
    successHeaders: [...RATE, ...QUOTA, 'X-Quota-Exhausted'],
    hasEntityTag: false,
    badRequests: [
      timeRequired,
      invalidTime('time', '2026-02-30'),
      idsRequired,
      invalidIds('12abc'),
      tooManyIds(1000),
      invalidChoice('include', 'all', ['quality', 'exact']),
      repeatedParameter('time'),
      quotaExhausted([1071, 1072]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
    },
  },
  fleetPositions: {
    path: '/positions',
    tag: 'Positions',
    summary: 'List positions of several objects',
    description:
      'The recorded positions of up to 1,000 objects in a range of time, by object as asked, then by `time_device`, ascending. Follow `Link` for the rows that are left. Each page costs 1 of the daily quota of each object in it. Where an object asked for is exhausted, on the page or not, the page is refused and no object charged.',
    parameters: [
      'Ids',
      'FromTime',
      'ToTime',
      'Step',
      'PositionInclude',
      'FleetLimit',
      'Cursor',
      'PositionFormat',
      'AcceptLanguage',
    ],
    formats: POSITION_FORMATS,
    isPublic: false,
    success: 'The positions of the range, or a page of them.',
    successHeaders: ['Link', ...RATE, ...QUOTA],
    hasEntityTag: false,
    badRequests: [
      fromTimeRequired,
      toTimeRequired,
      invalidTime('to_time', '2026-02-30'),
      rangeReversed,
      idsRequired,
      invalidIds('12abc'),
      tooManyIds(1000),
      outOfRange('limit', '0', 1, 10_000),
      outOfRange('step', '0', 1, 86_400),
      invalidChoice('include', 'all', ['quality', 'exact']),
      invalidCursor,
      repeatedParameter('limit'),
      rangeAboveMaximum(31),
      quotaExhausted([1071]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
    },
  },
  listChanges: {
    path: '/changes',
    tag: 'Changes',
    summary: 'Get changes',
    description:
      'Everything that changed since a cursor, in the order of commit: new, late, corrected and deleted positions of the whole fleet, the state of objects, the catalogue, and trips, stops and visits. Start without a cursor, apply every entry, and continue with the `cursor` of each page. A page of the state with which you start costs 1 of the daily quota of each object whose state or positions it holds. Afterwards each position and each state costs a hundredth. Everything else is free.\n\nTrips, stops and visits are derived for an organization once somebody has asked for them: with `types` here, by `/trips`, `/stops` or `/visits`. They come after the states of the snapshot, and last within a commit. The page that asks first waits up to 5 seconds for a short history; more follows as it is derived. A page shows each of them once, as it is now. `ident` and `name`, and the `place_name` of a visit, follow the entries of the object and the place. The end of an object is the end of its trips, stops and visits.\n\nWith `Accept: text/event-stream` the answer is a stream of server-sent events. Read it on a server of yours and pass on to browsers what they need: the `EventSource` of a browser cannot send a key. Each page is one event: `data` is the `result`, and `id` its `cursor`. The first one comes at once, then one whenever something has changed, and at least one an hour. `event: resync` replaces a 410: connect without a cursor, and drop what the snapshot does not name. `event: error` has the body of another error. An organization may hold 10 streams. A stream ends when its client does not read for 30 seconds, and when the key or the subscription ends; continue from the last `id`.',
    parameters: [
      'ChangesCursor',
      'From',
      'ChangesLimit',
      'Wait',
      'Types',
      'ChangesIds',
      'Include',
      'SkipExhausted',
      'LastEventId',
      'AcceptLanguage',
    ],
    isPublic: false,
    success: 'A page of changes.',
    successHeaders: [...RATE, ...QUOTA],
    isStream: true,
    hasEntityTag: false,
    badRequests: [
      outOfRange('limit', '0', 1, 10_000),
      invalidChoice('from', 'then', ['snapshot', 'history', 'now']),
      differsFromCursor('types'),
      invalidCursor,
      invalidIds('12abc'),
      tooManyIds(1000),
      repeatedParameter('limit'),
      quotaExhausted([1071]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
      410: 'CursorExpired',
    },
  },
  listTrips: records(
    '/trips',
    'List trips',
    'The trips of your fleet that overlap a range of time.',
    'The trips of the range, or a page of them.',
    [],
  ),
  listStops: records(
    '/stops',
    'List stops',
    'The stops of your fleet that overlap a range of time.',
    'The stops of the range, or a page of them.',
    ['MinDuration'],
  ),
  listVisits: records(
    '/visits',
    'List visits',
    'The stays of objects in geofences, and within the radius of sites, that overlap a range of time. One position inside is a visit. An absence of up to 2 minutes does not end it.',
    'The visits of the range, or a page of them.',
    ['Geofences', 'Sites', 'MinDuration'],
  ),
  listDays: {
    path: '/days',
    tag: 'Records',
    summary: 'List days',
    description:
      'Totals of your fleet for each object and local day with positions, by object id, then by date. They are computed from the positions when you ask. A leg, the way and time between two neighbouring positions, belongs to the day in which it ends, and a trip to the day in which it starts. A page may have fewer rows than `limit`, or none, and is the last one only if it has no `Link`. Each page costs 1 of the daily quota of each object in it. Where an object asked for is exhausted, on the page or not, the page is refused and no object charged.',
    parameters: [
      'FromDate',
      'ToDate',
      'TimeZone',
      'RecordsIds',
      'RecordsLimit',
      'Cursor',
      'TableFormat',
      'AcceptLanguage',
    ],
    formats: TABLE_FORMATS,
    isPublic: false,
    success: 'The days of the range, or a page of them.',
    successHeaders: ['Link', 'X-Records-Until', ...RATE, ...QUOTA],
    hasEntityTag: false,
    badRequests: [
      fromDateRequired,
      toDateRequired,
      invalidDate('to_date', '2026-02-30'),
      datesReversed,
      invalidTimeZone('Middle/Earth'),
      outOfRange('limit', '0', 1, 10_000),
      invalidCursor,
      invalidIds('12abc'),
      tooManyIds(1000),
      repeatedParameter('tz'),
      rangeAboveMaximum(31, 'date'),
      quotaExhausted([1071]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
    },
  },
  listCoverage: {
    path: '/coverage',
    tag: 'Positions',
    summary: 'List coverage',
    description:
      'The positions of each object and UTC day in figures, by object id, then by date: their number, first and last time, gaps, late and rejected ones, and two digests. Compare them with the digests of your copy to prove that it is complete. A day without positions and rejected packets has no row. A range has 366 days at most. The first question about a day reads its positions; the server then keeps the result until the day changes. Costs no quota.',
    parameters: ['FromDate', 'ToDate', 'RecordsIds', 'TableFormat', 'AcceptLanguage'],
    formats: TABLE_FORMATS,
    isPublic: false,
    success: 'The days of the range.',
    successHeaders: RATE,
    hasEntityTag: false,
    badRequests: [
      fromDateRequired,
      toDateRequired,
      invalidDate('to_date', '2026-02-30'),
      datesReversed,
      invalidIds('12abc'),
      tooManyIds(1000),
      repeatedParameter('from_date'),
      rangeAboveMaximum(366, 'date'),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: 'ObjectNotFound',
    },
  },
  listGeofences: list(
    '/geofences',
    'Places',
    'List geofences',
    'All polygon zones of your organization by `id`, ascending.',
    'All geofences of the organization.',
  ),
  listRoutes: list(
    '/routes',
    'Places',
    'List routes',
    'All planned routes of your organization by `id`, ascending, with waypoints and geometry.',
    'All routes of the organization.',
  ),
  getAdherence: {
    path: '/routes/{id}/adherence',
    tag: 'Records',
    summary: 'Compare an object with a route',
    description:
      'How one object kept to a route in a range of time: the part of the distance that it drove within the `deviation` of the route, the times outside, and the waypoints. It is computed from the positions when you ask. Costs 1 of the daily quota of the object.',
    parameters: ['RouteId', 'OneObject', 'FromTime', 'ToTime', 'AcceptLanguage'],
    isPublic: false,
    success: 'The adherence of the object.',
    successHeaders: ['X-Records-Until', ...RATE, ...QUOTA],
    hasEntityTag: false,
    badRequests: [
      fromTimeRequired,
      toTimeRequired,
      invalidTime('to_time', '2026-02-30'),
      rangeReversed,
      objectRequired,
      invalidId('12abc', 'object'),
      repeatedParameter('object'),
      rangeAboveMaximum(31),
      positionsAboveMaximum(1_000_000),
      quotaExhausted([1071]),
    ],
    errors: { ...COMMON, 403: 'SubscriptionInactive', 404: 'ObjectOrRouteNotFound' },
  },
  listSites: list(
    '/sites',
    'Places',
    'List sites',
    'All circular points of interest of your organization by `id`, ascending.',
    'All sites of the organization.',
  ),
  getKey: {
    path: '/key',
    tag: 'Service',
    summary: 'Get the key',
    description:
      'The key of the request, and the part of the organization that it opens. Open to every key. Costs a request and no quota.',
    parameters: ['AcceptLanguage'],
    isPublic: false,
    success: 'The key.',
    successHeaders: RATE,
    hasEntityTag: false,
    badRequests: [repeatedParameter('format')],
    errors: OPEN,
  },
  getUsage: {
    path: '/usage',
    tag: 'Service',
    summary: 'Get usage and limits',
    description:
      'The rest of the rate window and of the daily quota, the requests with this key in the last 30 days, and the maxima of the service. Open to every key. Costs a request and no quota.',
    parameters: ['RecordsIds', 'AcceptLanguage'],
    isPublic: false,
    success: 'The use of the key, and the rest of its limits.',
    successHeaders: RATE,
    hasEntityTag: false,
    badRequests: [invalidIds('12abc'), tooManyIds(1000)],
    errors: { ...OPEN, 404: 'ObjectNotFound' },
  },
  ping: {
    path: '/ping',
    tag: 'Service',
    summary: 'Ping',
    description:
      'Confirms that the service answers. Needs no key and counts against no organization.',
    parameters: [],
    isPublic: true,
    success: 'The service answers.',
    successHeaders: [],
    hasEntityTag: false,
    badRequests: [malformedRequest],
    errors: { 500: 'Internal' },
  },
}

function records(
  path: string,
  summary: string,
  selection: string,
  success: string,
  own: readonly ParameterName[],
): OperationDescription {
  const hasPlaces = own.includes('Sites')
  return {
    path,
    tag: 'Records',
    summary,
    description: `${selection} They come by object id, then by start. Late positions, recalculations and edited places change records: \`revision\` grows, and \`id\` stays. Each page costs 1 of the daily quota of each object in it. Where an object asked for is exhausted, on the page or not, the page is refused and no object charged.`,
    parameters: [
      ...(['RecordsFromTime', 'RecordsToTime', 'RecordsIds'] as const),
      ...own,
      ...(['RecordsLimit', 'Cursor', 'MapFormat', 'AcceptLanguage'] as const),
    ],
    formats: MAP_FORMATS,
    isPublic: false,
    success,
    successHeaders: ['Link', 'X-Records-Until', ...RATE, ...QUOTA],
    hasEntityTag: false,
    badRequests: [
      fromTimeRequired,
      toTimeRequired,
      invalidTime('to_time', '2026-02-30'),
      rangeReversed,
      outOfRange('limit', '0', 1, 10_000),
      invalidCursor,
      invalidIds('12abc'),
      tooManyIds(1000),
      ...(hasPlaces ? [tooManyIds(1000, 'sites')] : []),
      repeatedParameter('limit'),
      rangeAboveMaximum(31),
      quotaExhausted([1071]),
    ],
    errors: {
      ...COMMON,
      403: 'SubscriptionInactive',
      404: hasPlaces ? 'ObjectOrPlaceNotFound' : 'ObjectNotFound',
    },
  }
}

function list(
  path: string,
  tag: Tag,
  summary: string,
  description: string,
  success: string,
  filters: readonly ParameterName[] = [],
): OperationDescription {
  const isOnMap = tag === 'Places'
  return {
    path,
    tag,
    summary,
    description,
    parameters: [
      ...filters,
      ...([isOnMap ? 'MapFormat' : 'TableFormat', 'IfNoneMatch', 'AcceptLanguage'] as const),
    ],
    formats: isOnMap ? MAP_FORMATS : TABLE_FORMATS,
    isPublic: false,
    success,
    successHeaders: [...RATE, 'ETag'],
    hasEntityTag: true,
    badRequests: [
      repeatedParameter('format'),
      ...(filters.length > 0 ? [repeatedParameter('q')] : []),
    ],
    errors: COMMON,
  }
}
