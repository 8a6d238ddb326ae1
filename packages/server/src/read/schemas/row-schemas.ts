import Type, { type TSchema, type TUnsafe } from 'typebox'
import {
  ITEM_NOUNS,
  LIST_TOPICS,
  type ListTopic,
  schemaNameOf,
} from '../../base/domain/item-rules.ts'
import { ATTRIBUTE_FIELDS } from '../encode/listed-fields.ts'
import { LISTED_KINDS } from '../encode/listed-kinds.ts'
import { LEVEL_FIELDS, STOP_FIELDS, TRIP_FIELDS, VISIT_FIELDS } from '../encode/record-fields.ts'
import {
  ADHERENCE_FIELDS,
  COVERAGE_FIELDS,
  DAY_FIELDS,
  DAY_TEXT,
  DEVIATION_FIELDS,
  WAYPOINT_VISIT_FIELDS,
} from '../encode/report-fields.ts'
import type { RowFields, RowOf } from '../encode/row-fields.ts'
import { record, recordWith, summaries } from './value-schemas.ts'

/** Records and reports as answers show them, by the tables of their fields. */

/** The schemas of items that have only settings, by the names of the schemas. */
export const listed = Object.fromEntries(
  LIST_TOPICS.map((topic) => {
    const { fields, description } = LISTED_KINDS[topic]
    return [schemaNameOf(ITEM_NOUNS[topic]), rows(fields as RowFields<never>, description)]
  }),
) as unknown as { [Topic in ListTopic as Capitalize<(typeof ITEM_NOUNS)[Topic]>]: TSchema }

/** The schemas of fields. */
export function fieldSchemas<Fields extends RowFields<never>>(fields: Fields) {
  const schemas = Object.entries(fields).map(([name, { schema }]) => [name, Type.Unsafe(schema)])
  return Object.fromEntries(schemas) as { [Name in keyof Fields]: TUnsafe<RowOf<Fields>[Name]> }
}

export function rows<Fields extends RowFields<never>>(fields: Fields, description: string) {
  return Type.Unsafe<RowOf<Fields>>(record(fieldSchemas(fields), description))
}

/** Rows that may have attributes summed over their time, and other optional fields. */
function rowsOfTime<Fields extends RowFields<never>, Other extends RowFields<never>>(
  fields: Fields,
  description: string,
  other: Other = {} as Other,
) {
  return Type.Unsafe<
    RowOf<Fields> & Partial<RowOf<Other>> & { attributes?: Record<string, object> }
  >(
    recordWith(
      fieldSchemas(fields),
      { ...fieldSchemas(other), attributes: summaries },
      description,
    ),
  )
}

const TRIP =
  'A trip of an object: from the position where its first distance is counted to the first position at a standstill after the last counted distance.'
const STOP = 'A stop of an object, between two trips.'

export const trip = rowsOfTime(TRIP_FIELDS, TRIP)

export const stop = rowsOfTime(STOP_FIELDS, STOP)

export const visit = rows(
  VISIT_FIELDS,
  'A stay of an object in a geofence or within the radius of a site.',
)

export const level = rows(
  LEVEL_FIELDS,
  'A rise or a fall of a level beyond its threshold, such as refueling.',
)

/** The records of the admin API, which shows them without attributes. */
export const bare = { trip: rows(TRIP_FIELDS, TRIP), stop: rows(STOP_FIELDS, STOP), visit, level }

export const day = rowsOfTime(
  DAY_FIELDS,
  'The totals of an object on a local day. A leg is the distance and the time between two consecutive positions. It belongs to the day in which it ends, without the time before that day began. So the days of an object add up to its odometer, and the four times fill the time between its first leg and its last.',
  DAY_TEXT,
)

export const coverage = rows(
  COVERAGE_FIELDS,
  'Statistics of the positions of an object on a day, to compare with the statistics of a copy.',
)

export const deviation = rows(
  DEVIATION_FIELDS,
  'A time in which an object was farther from a route than its `deviation`.',
)

export const waypointVisit = rows(
  WAYPOINT_VISIT_FIELDS,
  'How near an object came to a waypoint of a route.',
)

export const attribute = rows(
  ATTRIBUTE_FIELDS,
  'A value that devices send in addition to the fields of positions, as the organization shows it.',
)

const lists = {
  deviations: Type.Array(deviation, {
    description: 'Ascending. Empty where the route has no `deviation`.',
  }),
  waypoints: Type.Array(waypointVisit, { description: 'By `order`, ascending.' }),
}

export const adherence = Type.Unsafe<
  RowOf<typeof ADHERENCE_FIELDS> & {
    deviations: RowOf<typeof DEVIATION_FIELDS>[]
    waypoints: RowOf<typeof WAYPOINT_VISIT_FIELDS>[]
  }
>(
  record(
    { ...fieldSchemas(ADHERENCE_FIELDS), ...lists },
    'How closely an object followed a route in a range of time. Implausible positions do not count.',
  ),
)
