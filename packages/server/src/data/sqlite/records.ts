import { keyOf, type StoredKind } from '../../base/domain/record.ts'
import type {
  DerivedObject,
  OwnedRecord,
  RecordOffset,
  RecordQuery,
} from '../../engine/store/record-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import {
  AT_FIRST,
  KINDS_OF,
  leftRows,
  longestVisitOf,
  packTail,
  type RecordRow,
  recordOf,
  rowOf,
} from '../tables/record-columns.ts'
import { type Overlapping, placesText, RECORD_COLUMNS } from '../tables/record-reads.ts'
import type { RecordParts } from '../tables/record-tables.ts'
import { inSlices, type OrganizationSql, type Sql, type Tables } from '../tables/sql.ts'
import { fixedPlan } from './database/database.ts'

/** Rows read at once: some 1 ms. Then others have their turn. */
const SLICE_ROWS = 1_000

const FROM = 'FROM records WHERE organization = $1'
const BEHIND = 'start_time <= $4 AND (end_time IS NULL OR (end_time >= $3 AND duration >= $5))'
const PAGE = `ORDER BY start_time, kind, place LIMIT ${fixedPlan('$9')}`
const IS_AFTER = '(start_time, kind, place) > ($6, $7, $8)'
/** Only one segment that began before the range can reach into it, because they do not overlap. */
const SEGMENTS = `
  SELECT ${RECORD_COLUMNS} ${FROM} AND kind = $10 AND object = $2
    AND start_time >= coalesce((
      SELECT max(start_time) ${FROM} AND kind = $10 AND object = $2 AND start_time < $3
    ), $3)
    AND ${BEHIND} AND ${IS_AFTER} ${PAGE}`
/** No visit or change of level that has ended lasted longer than the longest one. */
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
const overlappingOf = (kinds: readonly StoredKind[]) => `
  SELECT ${RECORD_COLUMNS} ${FROM} AND kind IN (${kinds}) AND object = $2
    AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER} ${PAGE}`
const OVERLAPPING = {
  visits: overlappingOf(KINDS_OF.visits),
  levels: overlappingOf(KINDS_OF.levels),
}
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

function isRead(object: number, after: RecordOffset, isFirstOnly: boolean): boolean {
  return object < after.object || (isFirstOnly && object === after.object)
}

function placeOf({ object, record }: OwnedRecord): RecordOffset {
  return { object, ...keyOf(record) }
}

type Wanted = Pick<RecordQuery, 'type' | 'range' | 'minDuration' | 'limit'> & {
  after: Omit<RecordOffset, 'object'>
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
    type === 'trips' || type === 'stops'
      ? all<RecordRow>(SEGMENTS, [...values, KINDS_OF[type][0]!])
      : places === null
        ? all<RecordRow>(OVERLAPPING[type], values)
        : all<RecordRow>(VISITS_TO, [...values, places])
  return (yield* rows).map(recordOf)
}

const REMOVE = `
  DELETE FROM records
  WHERE organization = $1 AND kind = $2 AND object = $3 AND start_time = $4 AND place = $5`
const PUT = `
  INSERT INTO records VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (organization, kind, object, start_time, place) DO UPDATE SET
    id = excluded.id, revision = excluded.revision,
    updated_at = excluded.updated_at, end_time = excluded.end_time,
    duration = excluded.duration, fields = excluded.fields, checkpoint = excluded.checkpoint`
/** `PUT` of a record whose end stays. It writes no index. */
const CHANGE = `
  UPDATE records SET revision = $7, updated_at = $8, duration = $10, fields = $11, checkpoint = $12
  WHERE organization = $1 AND kind = $2 AND object = $3 AND start_time = $4 AND place = $5
    AND id = $6 AND end_time IS $9`
const CHANGE_TAIL = `
  UPDATE record_tails SET progress = $3, longest_visit = max(longest_visit, $4)
  WHERE organization = $1 AND object = $2`
const ADD_TAIL = `
  INSERT INTO record_tails SELECT $1, $2, $3, $4
  WHERE EXISTS (SELECT 1 FROM objects WHERE organization = $1 AND id = $2)`
const REMOVE_TAIL = 'DELETE FROM record_tails WHERE organization = $1 AND object = $2'

/** Writes derived records row by row. */
function* writeRecords(sql: OrganizationSql, objects: readonly DerivedObject[]): Work<void> {
  const { organization, run } = sql
  for (const derived of objects) {
    const { object } = derived
    for (const [kind, start, place] of leftRows(derived)) {
      run(REMOVE, [organization, kind, object, start, place])
    }
    if (yield* writeTail(sql, derived)) yield* put(sql, derived)
  }
}

/** Returns false if the object does not exist: with it went its tail. */
function* writeTail({ organization, run, count }: OrganizationSql, derived: DerivedObject) {
  const { object, tail } = derived
  if (tail === null) {
    run(REMOVE_TAIL, [organization, object])
    return true
  }
  const values = [organization, object, packTail(tail), longestVisitOf(derived)]
  return (yield* count(CHANGE_TAIL, values)) > 0 || (yield* count(ADD_TAIL, values)) > 0
}

function* put({ organization, run, count }: OrganizationSql, { object, puts }: DerivedObject) {
  for (const each of puts) {
    if (each.isInTail) continue
    const row = rowOf(object, each)
    const values = [organization, ...Object.values(row)]
    const isThere = each.before?.start === row.start && (yield* count(CHANGE, values)) > 0
    if (!isThere) run(PUT, values)
  }
}

const dueOf = (tasks: string) => `
  SELECT organization FROM record_tasks WHERE ${tasks}
  UNION
  SELECT organization FROM record_progress
  WHERE seq < (SELECT max(seq) FROM change_log WHERE organization = record_progress.organization)
  ORDER BY organization`
const DUE = { all: dueOf('true'), not_failed: dueOf('failed_at IS NULL') }

export function recordParts({ read }: Tables): RecordParts {
  return {
    overlapping,
    write: writeRecords,
    async due(tasks = 'all') {
      const rows = await read(({ all }) => all<{ organization: number }>(DUE[tasks], []))
      return rows.map(({ organization }) => organization)
    },
  }
}
