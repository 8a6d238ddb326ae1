import Type, { type Static, type TSchema } from 'typebox'
import { changeSchemas, changes } from './change-schemas.ts'
import {
  accuracy,
  exactCounters,
  geofence,
  latestPosition,
  objectDetail,
  objectListItem,
  position,
  route,
  site,
  vehicleData,
  waypoint,
} from './item-schemas.ts'
import { instant, lonLat, record } from './kinds.ts'
import { stop, trip, visit } from './record-schemas.ts'
import { adherence, coverage, day, deviation, waypointVisit } from './report-schemas.ts'
import { key, keyOperation, objectQuota, requestCount, usage } from './usage-schemas.ts'

/**
 * The single source of what answers look like. The description is generated from these schemas, and the
 * encoders are typed and tested against them. Fields are in the order in which they are written.
 */

export const health = record(
  { status: Type.Literal('ok', { type: 'string', description: 'The service answers.' }) },
  'The answer of the ping.',
)

export const error = record(
  {
    statusCode: Type.Integer({ description: 'The HTTP status.', examples: [404] }),
    errorCode: Type.String({
      description: 'Code for programs to decide by. `ERR999` where the HTTP status says it all.',
      examples: ['PUBLIC.404_001'],
    }),
    message: Type.String({
      description: 'Text for people, in the language that `Content-Language` names.',
      examples: ['Object not found.'],
    }),
    timestamp: instant({
      description: 'When the error occurred.',
      examples: ['2026-11-20T10:00:00.000Z'],
    }),
  },
  'The body of every error.',
)

/** The body of a success around its result. */
export function envelope<Result extends TSchema>(result: Result) {
  return Type.Object({
    statusCode: Type.Literal(200, { type: 'integer', description: 'Always 200.' }),
    result,
  })
}

/** The body of each operation's 200, by operation id. */
export const successes = {
  ping: envelope(health),
  listObjects: envelope(Type.Array(objectListItem)),
  getObject: envelope(objectDetail),
  listPositions: envelope(Type.Array(position)),
  latestPositions: envelope(Type.Array(latestPosition)),
  positionsAt: envelope(Type.Array(latestPosition)),
  fleetPositions: envelope(Type.Array(position)),
  listChanges: envelope(changes),
  listTrips: envelope(Type.Array(trip)),
  listStops: envelope(Type.Array(stop)),
  listVisits: envelope(Type.Array(visit)),
  listDays: envelope(Type.Array(day)),
  listCoverage: envelope(Type.Array(coverage)),
  listGeofences: envelope(Type.Array(geofence)),
  listRoutes: envelope(Type.Array(route)),
  getAdherence: envelope(adherence),
  listSites: envelope(Type.Array(site)),
  getKey: envelope(key),
  getUsage: envelope(usage),
}

/** The schemas that the description names. */
export const named = {
  Object: objectListItem,
  ObjectDetail: objectDetail,
  VehicleData: vehicleData,
  Accuracy: accuracy,
  Position: position,
  LatestPosition: latestPosition,
  ExactCounters: exactCounters,
  ...changeSchemas,
  Trip: trip,
  Stop: stop,
  Visit: visit,
  Day: day,
  Coverage: coverage,
  Adherence: adherence,
  Deviation: deviation,
  WaypointVisit: waypointVisit,
  Geofence: geofence,
  Route: route,
  Waypoint: waypoint,
  Site: site,
  Key: key,
  KeyOperation: keyOperation,
  Usage: usage,
  ObjectQuota: objectQuota,
  RequestCount: requestCount,
  LonLat: lonLat,
  Health: health,
  Error: error,
} satisfies Record<string, TSchema>

export type OperationId = keyof typeof successes
export type Success<Operation extends OperationId> = Static<(typeof successes)[Operation]>
export type ObjectListItem = Static<typeof objectListItem>
export type ObjectDetail = Static<typeof objectDetail>
export type PositionRow = Static<typeof position>
export type LatestPositionRow = Static<typeof latestPosition>
export type TripRow = Static<typeof trip>
export type StopRow = Static<typeof stop>
export type VisitRow = Static<typeof visit>
export type DayRow = Static<typeof day>
export type CoverageDayRow = Static<typeof coverage>
export type AdherenceResult = Static<typeof adherence>
export type GeofenceItem = Static<typeof geofence>
export type RouteItem = Static<typeof route>
export type SiteItem = Static<typeof site>
export type KeyResult = Static<typeof key>
export type UsageResult = Static<typeof usage>
export type ErrorBody = Static<typeof error>
