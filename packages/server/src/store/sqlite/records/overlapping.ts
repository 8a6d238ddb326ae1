import { keyOf } from '../../../domain/record.ts'
import type { Work } from '../../../tracking/work.ts'
import { inSlices } from '../../in-slices.ts'
import { AT_FIRST, KINDS_OF, type RecordRow, recordOf } from '../../record-rows.ts'
import type { OwnedRecord, RecordPlace, RecordQuery } from '../../record-store.ts'
import type { Overlapping } from '../../tables/overlapping.ts'
import { placesText, RECORD_COLUMNS } from '../../tables/record-reads.ts'
import type { Sql } from '../../tables/sql.ts'

/** Rows read at once: some 1 ms. Then others have their turn. */
const SLICE_ROWS = 1_000

const FROM = 'FROM records WHERE organization = $1'
const BEHIND = 'start_time <= $4 AND (end_time IS NULL OR (end_time >= $3 AND duration >= $5))'
const PAGE = 'ORDER BY start_time, kind, place LIMIT $9'
const IS_AFTER = '(start_time, kind, place) > ($6, $7, $8)'
/** Only one segment that began before the range can reach into it, because they do not overlap. */
const SEGMENTS = `
  SELECT ${RECORD_COLUMNS} ${FROM} AND kind = $10 AND object = $2
    AND start_time >= coalesce((
      SELECT max(start_time) ${FROM} AND kind = $10 AND object = $2 AND start_time < $3
    ), $3)
    AND ${BEHIND} AND ${IS_AFTER} ${PAGE}`
/** No visit that has ended lasted longer than the longest one. */
const VISITS_SINCE = `
  start_time >= min(
    $3 - coalesce((
      SELECT longest_visit FROM record_tails WHERE organization = $1 AND object = $2
    ), 0),
    coalesce((
      SELECT min(start_time) FROM records INDEXED BY open_records
      WHERE organization = $1 AND object = $2 AND end_time IS NULL AND place > 0
    ), $3)
  )`
const VISITS = `
  SELECT ${RECORD_COLUMNS} ${FROM} AND kind IN (${KINDS_OF.visits}) AND object = $2
    AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER} ${PAGE}`
const VISITS_TO = `
  SELECT ${RECORD_COLUMNS} FROM (
    SELECT value ->> 'kind' AS visited_kind, value ->> 'place' AS visited FROM json_each($10)
  )
  CROSS JOIN records ON organization = $1 AND kind = visited_kind
    AND place = visited AND object = $2 AND place > 0
    AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER} ${PAGE}`

/** Reads object by object. */
export const overlapping: Overlapping = (read, organization, objects, asked) => {
  const { limit, isFirstOnly = false, ...wanted } = asked
  const places = wanted.places === null ? null : placesText(wanted.places)
  return inSlices<OwnedRecord>(limit, SLICE_ROWS, (size, last) => {
    const after = last === undefined ? wanted.after : placeOf(last)
    return read(function* (sql) {
      const found: OwnedRecord[] = []
      for (const object of objects) {
        if (after !== null && isRead(object, after, isFirstOnly)) continue
        const first = object === after?.object ? after : AT_FIRST
        const part = { ...wanted, after: first, limit: isFirstOnly ? 1 : size - found.length }
        for (const each of yield* ofObject(sql, organization, object, places, part)) {
          found.push(each)
        }
        if (found.length === size) break
      }
      return found
    })
  })
}

function isRead(object: number, after: RecordPlace, isFirstOnly: boolean): boolean {
  return object < after.object || (isFirstOnly && object === after.object)
}

function placeOf({ object, record }: OwnedRecord): RecordPlace {
  return { object, ...keyOf(record) }
}

type Wanted = Pick<RecordQuery, 'type' | 'range' | 'minDuration' | 'limit'> & {
  after: Omit<RecordPlace, 'object'>
}

/** The records of an object, by start, kind and place, after a place. `places`: as `placesText` has them. */
function* ofObject(
  { all }: Sql,
  organization: number,
  object: number,
  places: string | null,
  { type, range, minDuration, after, limit }: Wanted,
): Work<OwnedRecord[]> {
  const { start, kind, place } = after
  const values = [
    ...[organization, object, range.from, range.to, minDuration],
    ...[start, kind, place, limit],
  ]
  const rows =
    type !== 'visits'
      ? all<RecordRow>(SEGMENTS, [...values, KINDS_OF[type][0]!])
      : places === null
        ? all<RecordRow>(VISITS, values)
        : all<RecordRow>(VISITS_TO, [...values, places])
  return (yield* rows).map(recordOf)
}
