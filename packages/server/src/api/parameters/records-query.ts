import type { RecordType } from '../../domain/items.ts'
import type { RecordOffset } from '../../store/record-store.ts'
import { type AskedAttributes, ATTRIBUTES, boundTo } from './attributes.ts'
import { SKIP_UNPAID } from './choices.ts'
import { MIN_DURATION, RECORDS_LIMIT } from './numbers.ts'
import { GEOFENCES, ONLY_IDS, SITES } from './object-ids.ts'
import { CURSOR, pageCursors } from './page-cursor.ts'
import { type Asked, type Parameter, parameterSet } from './parameter.ts'
import { RECORDS_RANGE } from './time-range.ts'

/** A parameter that a type of records does not have. */
function without<Value>(value: Value): Parameter<Value> {
  return { described: {}, single: [], read: () => value, refusals: [] }
}

const ANY_PLACE = without(undefined) as typeof GEOFENCES
const ANY_DURATION = without(0)
const NO_ATTRIBUTES: Parameter<AskedAttributes> = without(null)

/** The parameters of each type of records, with the cursor still sealed. */
export const RECORDS = {
  trips: recordsBy(ANY_PLACE, ANY_PLACE, ANY_DURATION, ATTRIBUTES),
  stops: recordsBy(ANY_PLACE, ANY_PLACE, MIN_DURATION, ATTRIBUTES),
  visits: recordsBy(GEOFENCES, SITES, MIN_DURATION, NO_ATTRIBUTES),
}
export type RecordsQuery = Asked<typeof RECORDS.visits>

function recordsBy(
  geofences: typeof GEOFENCES,
  sites: typeof SITES,
  minDurationSeconds: Parameter<number>,
  attributes: Parameter<AskedAttributes>,
) {
  return parameterSet(
    {
      range: RECORDS_RANGE,
      ids: ONLY_IDS,
      geofences,
      sites,
      minDurationSeconds,
      attributes,
      limit: RECORDS_LIMIT,
      cursor: CURSOR,
      skipsExhausted: SKIP_UNPAID,
    },
    [
      'range',
      'limit',
      'cursor',
      'minDurationSeconds',
      'attributes',
      'ids',
      'geofences',
      'sites',
      'skipsExhausted',
    ],
  )
}

/** The request that a cursor continues. The cursor is valid for no other. */
export type PagedRecords = { organization: number; type: RecordType; asked: RecordsQuery }

export const RECORDS_CURSORS = pageCursors<PagedRecords, RecordOffset>(
  ['object', 'start', 'kind', 'place'],
  ({ organization, type, asked }) => {
    const { range, ids, geofences, sites, minDurationSeconds } = asked
    const selection = JSON.stringify([range, ids, geofences, sites, minDurationSeconds])
    return `records ${organization} ${type} ${selection}${boundTo(asked.attributes)} `
  },
)
