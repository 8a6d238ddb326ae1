import { csv } from '../../../client/src/pull/files/csv.ts'
import type { Cell } from '../../../client/src/pull/files/kinds.ts'
import type { TextFormat } from '../../../client/src/pull/files/text-formats.ts'
import type { RecordType } from '../domain/change-types.ts'

const OWN = ['id', 'object_id', 'ident', 'name']
const STATE = ['open', 'revision', 'updated_at']
const END = ['time', 'latitude', 'longitude', 'address', 'odometer', 'engine_hours']

/** The fields of a record in the order of its row. */
export const RECORD_FIELDS: Record<RecordType, readonly string[]> = {
  trips: [
    ...OWN,
    ...END.map((field) => `start_${field}`),
    ...END.map((field) => `end_${field}`),
    ...['distance', 'duration', 'moving_time', 'idle_time', 'max_speed', 'average_speed'],
    ...['positions', 'longest_gap'],
    ...STATE,
  ],
  stops: [
    ...OWN,
    ...['start_time', 'end_time', 'latitude', 'longitude', 'address', 'duration', 'idle_time'],
    ...['positions', 'longest_gap', 'geofence_ids', 'site_ids'],
    ...STATE,
  ],
  visits: [
    ...OWN,
    ...['place_type', 'place_id', 'place_name', 'start_time', 'end_time', 'before_time'],
    ...['after_time', 'duration', 'distance', 'positions'],
    ...STATE,
  ],
}

type Row = Readonly<Record<string, unknown>>

/** Rows of records as CSV for spreadsheets, which run none of its texts. Lists are JSON. */
export function recordCsv(type: RecordType): TextFormat<Row> {
  const fields = RECORD_FIELDS[type]
  const columns = fields.map((name) => ({ name, type: 'text' as const }))
  const cells = (row: Row) => fields.map((name) => cellOf(row[name]))
  return csv({ columns, cells, geometry: () => null, inGeometry: [] }, 'guarded')
}

function cellOf(value: unknown): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value
  return JSON.stringify(value)
}
