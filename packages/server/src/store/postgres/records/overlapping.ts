import { AT_FIRST, KINDS_OF, type RecordRow, recordOf } from '../../record-rows.ts'
import type { Overlapping } from '../../tables/overlapping.ts'
import { placesText, RECORD_COLUMNS } from '../../tables/record-reads.ts'
import type { Value } from '../../tables/sql.ts'
import { int8Array } from '../connection/binary-arrays.ts'

const FROM = 'FROM records WHERE organization = $1'
const BEHIND = 'start_time <= $4 AND (end_time IS NULL OR (end_time >= $3 AND duration >= $5))'
/** The place of the page is that of one object, $6. Others are read from their beginning. */
const IS_AFTER = '(wanted.object > $6 OR (start_time, kind, place) > ($7, $8, $9))'
/** Only one segment that began before the range can reach into it, because they do not overlap. */
const SEGMENTS = `
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object) CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = $12 AND object = wanted.object
      AND start_time >= coalesce((
        SELECT start_time ${FROM} AND kind = $12 AND object = wanted.object AND start_time < $3
        ORDER BY start_time DESC LIMIT 1
      ), $3)
      AND ${BEHIND} AND ${IS_AFTER}
    ORDER BY start_time, kind, place LIMIT $11
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10`
/** No visit that has ended lasted longer than the longest one. */
const VISITS_SINCE = `start_time >= least(
  $3 - coalesce((
    SELECT longest_visit FROM record_tails WHERE organization = $1 AND object = wanted.object
  ), 0),
  coalesce((
    SELECT min(start_time) ${FROM} AND object = wanted.object AND end_time IS NULL AND place > 0
  ), $3))`
const VISITS = `
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object) CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = ANY('{${KINDS_OF.visits}}'::int4[])
      AND object = wanted.object AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER}
    ORDER BY start_time, kind, place LIMIT $11
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10`
const VISITS_TO = `
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object)
  CROSS JOIN json_to_recordset($12) AS visited (kind int, place bigint)
  CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = visited.kind AND place = visited.place
      AND place > 0 AND object = wanted.object AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER}
    ORDER BY start_time LIMIT $11
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10`

/** Reads all objects with one statement. */
export const overlapping: Overlapping = async (read, organization, objects, wanted) => {
  const { type, range, places, minDuration, after, limit, isFirstOnly = false } = wanted
  const { object, start, kind, place } = after ?? { object: 0, ...AT_FIRST }
  const values = [
    ...[organization, int8Array(objects), range.from, range.to, minDuration],
    ...[object, start, kind, place, limit, isFirstOnly ? 1 : limit],
  ]
  const rows = (statement: string, ...more: Value[]) =>
    read(({ all }) => all<RecordRow>(statement, [...values, ...more]))
  const found =
    type !== 'visits'
      ? await rows(SEGMENTS, KINDS_OF[type][0]!)
      : places === null
        ? await rows(VISITS)
        : await rows(VISITS_TO, placesText(places))
  return found.map(recordOf)
}
