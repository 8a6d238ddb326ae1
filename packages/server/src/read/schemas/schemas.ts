import Type, { type Static, type TSchema } from 'typebox'
import { LON_LAT_SCHEMA, WAYPOINT_SCHEMA } from '../encode/listed-fields.ts'
import { changeSchemas } from './change-schemas.ts'
import {
  accuracy,
  exactCounters,
  latestPosition,
  objectDetail,
  objectListItem,
  position,
  vehicleData,
} from './object-schemas.ts'
import {
  adherence,
  attribute,
  coverage,
  day,
  deviation,
  level,
  listed,
  stop,
  trip,
  visit,
  waypointVisit,
} from './row-schemas.ts'
import { grant, key, keyOperation, objectQuota, requestCount, usage } from './usage-schemas.ts'
import { attributeShare, attributeSummary, instant, record } from './value-schemas.ts'

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
      description:
        'A code for programs. `ERR999` if there is no more specific code than the HTTP status.',
      examples: ['PUBLIC.404_001'],
    }),
    message: Type.String({
      description: 'A message for people, in the language that `Content-Language` names.',
      examples: ['Object not found.'],
    }),
    timestamp: instant({
      description: 'When the error occurred.',
      examples: ['2026-11-20T10:00:00.000Z'],
    }),
    progress: Type.Optional(
      Type.Number({
        description: 'While records are derived for the first time: the share that is done.',
        minimum: 0,
        maximum: 1,
      }),
    ),
  },
  'The body of every error.',
)

/** The body of a success around its result. */
function envelope<Result extends TSchema>(result: Result) {
  return Type.Object({
    statusCode: Type.Literal(200, { type: 'integer', description: 'Always 200.' }),
    result,
  })
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
  Level: level,
  Day: day,
  Coverage: coverage,
  Adherence: adherence,
  Deviation: deviation,
  WaypointVisit: waypointVisit,
  Attribute: attribute,
  AttributeSummary: attributeSummary,
  AttributeShare: attributeShare,
  ...listed,
  Waypoint: WAYPOINT_SCHEMA as TSchema,
  Key: key,
  Grant: grant,
  KeyOperation: keyOperation,
  Usage: usage,
  ObjectQuota: objectQuota,
  RequestCount: requestCount,
  LonLat: LON_LAT_SCHEMA as TSchema,
  Health: health,
  Error: error,
} satisfies Record<string, TSchema>

export type SchemaName = keyof typeof named
/** A value of a schema. */
export type SchemaValue<Name extends SchemaName> = Static<(typeof named)[Name]>

/** One thing, or rows of one kind, by the name of its schema. A server needs only the names. */
export type DescribedResult = {
  [Name in SchemaName]:
    | { readonly one: Name; readonly example: SchemaValue<Name> }
    | { readonly rows: Name; readonly example: readonly SchemaValue<Name>[] }
}[SchemaName]

/** The body of a 200. */
export function bodyOf(result: DescribedResult): TSchema {
  return envelope('one' in result ? named[result.one] : Type.Array(named[result.rows]))
}
