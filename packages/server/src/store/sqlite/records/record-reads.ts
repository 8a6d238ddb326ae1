import type { DatabaseSync } from 'node:sqlite'
import type { RecordType } from '../../../domain/change-types.ts'
import { STORED_KIND } from '../../../domain/record.ts'
import type { TimeRange } from '../../../domain/time/time-range.ts'
import {
  KINDS_OF,
  type RecordRow,
  recordColumns,
  recordOf,
  type SpanRow,
  spanColumns,
  spanOf,
} from '../../record-rows.ts'
import type {
  OwnedRecord,
  PlaceIds,
  RecordPlace,
  RecordProgress,
  RecordTask,
  SegmentSpan,
  Tail,
} from '../../record-store.ts'
import { unpackTail } from '../../tail-form.ts'

const RECORD_COLUMNS = recordColumns('records.organization')
const SPAN_COLUMNS = spanColumns('records.organization')
/** Reads of derived records. Calls are part of a transaction. */
export type RecordReads = {
  progress(organization: number): RecordProgress | null
  tails(organization: number, objects: readonly number[]): [number, Tail][]
  open(organization: number, objects: readonly number[]): OwnedRecord[]
  segments(organization: number, object: number): SegmentSpan[]
  checkpoint(organization: number, object: number, time: number): OwnedRecord | null
  tasks(organization: number, limit: number): RecordTask[]
  find(organization: number, type: RecordType, ids: readonly number[]): OwnedRecord[]
  /** The records of an object that overlap a range, by start, kind and place, behind a place. */
  overlapping(organization: number, object: number, wanted: Overlapping): OwnedRecord[]
}

/** `places`: pairs of a kind and an id as JSON. Null: all. */
export type Overlapping = {
  type: RecordType
  range: TimeRange
  places: string | null
  minDuration: number
  after: Omit<RecordPlace, 'object'>
  limit: number
}

const FROM = `FROM records WHERE organization = ?1`
/** Without the name of an index, SQLite reads all records of a kind. */
const BY_ID = 'FROM records INDEXED BY records_by_id WHERE organization = ?1'
const BEHIND = 'start_time <= ?4 AND (end_time IS NULL OR (end_time >= ?3 AND duration >= ?5))'
const PAGE = 'ORDER BY start_time, kind, place LIMIT ?9'
const IS_AFTER = '(start_time, kind, place) > (?6, ?7, ?8)'
/** Only one segment that began before the range can reach into it, because they do not overlap. */
const SEGMENTS_SINCE = `
  start_time >= coalesce((
    SELECT max(start_time) FROM records
    WHERE organization = ?1 AND kind = ?10 AND object = ?2 AND start_time < ?3
  ), ?3)`
/** No visit that has ended lasted longer than the longest one. */
const VISITS_SINCE = `
  start_time >= min(
    ?3 - coalesce((
      SELECT longest_visit FROM record_tails WHERE organization = ?1 AND object = ?2
    ), 0),
    coalesce((
      SELECT min(start_time) FROM records INDEXED BY open_records
      WHERE organization = ?1 AND object = ?2 AND end_time IS NULL AND place > 0
    ), ?3)
  )`

export function recordReads(connection: DatabaseSync): RecordReads {
  const progress = connection.prepare(
    'SELECT seq, at, last_id AS lastId FROM record_progress WHERE organization = ?',
  )
  const tails = connection.prepare(`
    SELECT object, progress FROM record_tails
    WHERE organization = ? AND object IN (SELECT value FROM json_each(?))
  `)
  const open = connection.prepare(`
    SELECT ${RECORD_COLUMNS} FROM records INDEXED BY open_records
    WHERE organization = ?1 AND object IN (SELECT value FROM json_each(?2)) AND end_time IS NULL
    ORDER BY object, kind, start_time, place
  `)
  const spans = connection.prepare(`
    SELECT ${SPAN_COLUMNS} ${FROM} AND kind IN (${STORED_KIND.trip}, ${STORED_KIND.stop})
      AND object = ?2
    ORDER BY kind, start_time
  `)
  const checkpoint = connection.prepare(`
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = ${STORED_KIND.stop} AND object = ?2
      AND start_time <= ?3 AND checkpoint IS NOT NULL
    ORDER BY start_time DESC LIMIT 1
  `)
  const tasks = connection.prepare(`
    SELECT kind, id, after, failed_at AS failedAt, error FROM record_tasks
    WHERE organization = ? ORDER BY kind, id LIMIT ?
  `)
  const isKept = 'EXISTS (SELECT 1 FROM objects WHERE objects.id = object)'
  const find = connection.prepare(`
    SELECT ${RECORD_COLUMNS} ${BY_ID} AND id IN (SELECT value FROM json_each(?2))
      AND kind IN (SELECT value FROM json_each(?3)) AND ${isKept}
    ORDER BY id
  `)
  const segments = connection.prepare(`
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = ?10 AND object = ?2
      AND ${SEGMENTS_SINCE} AND ${BEHIND} AND ${IS_AFTER} ${PAGE}
  `)
  const visits = connection.prepare(`
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind IN (${KINDS_OF.visits}) AND object = ?2
      AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER} ${PAGE}
  `)
  const visitsTo = connection.prepare(`
    SELECT ${RECORD_COLUMNS} FROM (
      SELECT value ->> 0 AS visited_kind, value ->> 1 AS visited FROM json_each(?10)
    )
    CROSS JOIN records ON organization = ?1 AND kind = visited_kind
      AND place = visited AND object = ?2 AND place > 0
      AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER} ${PAGE}
  `)
  const records = (rows: unknown[]) => (rows as RecordRow[]).map(recordOf)

  return {
    progress: (organization) => (progress.get(organization) as RecordProgress | undefined) ?? null,
    tails: (organization, objects) =>
      tails
        .all(organization, JSON.stringify(objects))
        .map(({ object, progress }) => [object as number, unpackTail(progress as Uint8Array)]),
    open: (organization, objects) => records(open.all(organization, JSON.stringify(objects))),
    segments: (organization, object) => (spans.all(organization, object) as SpanRow[]).map(spanOf),
    checkpoint(organization, object, time) {
      const row = checkpoint.get(organization, object, time) as RecordRow | undefined
      return row === undefined ? null : recordOf(row)
    },
    tasks: (organization, limit) =>
      (tasks.all(organization, limit) as RecordTask[]).map((task) => ({ ...task })),
    find: (organization, type, ids) =>
      records(find.all(organization, JSON.stringify(ids), JSON.stringify(KINDS_OF[type]))),
    overlapping(organization, object, { type, range, places, minDuration, after, limit }) {
      const { start, kind, place } = after
      const about = [organization, object, range.from, range.to, minDuration]
      const values = [...about, start, kind, place, limit]
      if (type !== 'visits') return records(segments.all(...values, KINDS_OF[type][0]!))
      if (places === null) return records(visits.all(...values))
      return records(visitsTo.all(...values, places))
    },
  }
}

/** Pairs of a stored kind and an id as JSON. */
export function placesText({ geofences, sites }: PlaceIds): string {
  return JSON.stringify([
    ...geofences.map((id) => [STORED_KIND.geofence, id]),
    ...sites.map((id) => [STORED_KIND.site, id]),
  ])
}
