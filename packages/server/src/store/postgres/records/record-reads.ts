import type { RecordType } from '../../../domain/change-types.ts'
import { STORED_KIND } from '../../../domain/record.ts'
import {
  AT_FIRST,
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
  RecordProgress,
  RecordQuery,
  RecordTask,
  SegmentSpan,
  Tail,
} from '../../record-store.ts'
import { unpackTail } from '../../tail-form.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'

/** Citus joins tables only by the value that a statement gives for their organization. */
const RECORD_COLUMNS = recordColumns('$1')
const SPAN_COLUMNS = spanColumns('$1')
const FROM = 'FROM records WHERE organization = $1'
const PROGRESS = statement(`
  SELECT organization, seq, at, last_id AS "lastId" FROM record_progress
  WHERE organization = ANY($1::int8[])
`)
const TAILS = statement(`
  SELECT object, progress FROM record_tails
  WHERE organization = $1 AND object = ANY($2::int8[])
`)
const OPEN = statement(`
  SELECT ${RECORD_COLUMNS} ${FROM} AND object = ANY($2::int8[]) AND end_time IS NULL
  ORDER BY object, kind, start_time, place
`)
const SPANS = statement(`
  SELECT ${SPAN_COLUMNS} ${FROM} AND kind = ANY('{${STORED_KIND.trip},${STORED_KIND.stop}}'::int4[])
    AND object = $2
  ORDER BY kind, start_time
`)
const CHECKPOINT = statement(`
  SELECT ${RECORD_COLUMNS} ${FROM} AND kind = ${STORED_KIND.stop} AND object = $2
    AND start_time <= $3 AND checkpoint IS NOT NULL
  ORDER BY start_time DESC LIMIT 1
`)
const TASKS = statement(`
  SELECT kind, id, after, failed_at AS "failedAt", error FROM record_tasks WHERE organization = $1
  ORDER BY kind COLLATE "C", id LIMIT $2
`)
/** Not `EXISTS`, which the server may turn into a join of all records with all objects. */
const IS_KEPT = `(
  SELECT true FROM objects WHERE objects.organization = $1 AND objects.id = records.object)`
/** Before the server has counted rows, it would take the index of the kinds, and read all of a kind. */
const OF_KINDS = 'kind + 0 = ANY($3::int4[])'
const FIND = statement(`
  SELECT ${RECORD_COLUMNS} ${FROM} AND id = ANY($2::int8[]) AND ${OF_KINDS} AND ${IS_KEPT}
  ORDER BY id
`)

const BEHIND = 'start_time <= $4 AND (end_time IS NULL OR (end_time >= $3 AND duration >= $5))'
/** The place of the page is that of one object, $6. Others are read from their beginning. */
const IS_AFTER = '(wanted.object > $6 OR (start_time, kind, place) > ($7, $8, $9))'
/** Only one segment that began before the range can reach into it, because they do not overlap. */
const SEGMENTS = statement(`
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object) CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = $11 AND object = wanted.object
      AND start_time >= coalesce((
        SELECT start_time ${FROM} AND kind = $11 AND object = wanted.object AND start_time < $3
        ORDER BY start_time DESC LIMIT 1
      ), $3)
      AND ${BEHIND} AND ${IS_AFTER}
    ORDER BY start_time, kind, place LIMIT $10
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10
`)
/** No visit that has ended lasted longer than the longest one. */
const VISITS_SINCE = `start_time >= least(
  $3 - coalesce((
    SELECT longest_visit FROM record_tails WHERE organization = $1 AND object = wanted.object
  ), 0),
  coalesce((
    SELECT min(start_time) ${FROM} AND object = wanted.object AND end_time IS NULL AND place > 0
  ), $3))`
const VISITS = statement(`
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object) CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = ANY('{${KINDS_OF.visits}}'::int4[])
      AND object = wanted.object AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER}
    ORDER BY start_time, kind, place LIMIT $10
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10
`)
const VISITS_TO = statement(`
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object)
  CROSS JOIN unnest($11::int4[], $12::int8[]) AS visited (kind, place)
  CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = visited.kind AND place = visited.place
      AND place > 0 AND object = wanted.object AND ${VISITS_SINCE} AND ${BEHIND} AND ${IS_AFTER}
    ORDER BY start_time LIMIT $10
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10
`)

/** Reads of derived records of an organization. */
export type RecordReads = {
  tails(objects: readonly number[]): Promise<Map<number, Tail>>
  open(objects: readonly number[]): Promise<OwnedRecord[]>
  segments(object: number): Promise<SegmentSpan[]>
  checkpoint(object: number, time: number): Promise<OwnedRecord | null>
  tasks(limit: number): Promise<RecordTask[]>
  find(type: RecordType, ids: readonly number[]): Promise<OwnedRecord[]>
  /** The selected records of these objects, by object, start, kind and place. */
  overlapping(
    objects: readonly number[],
    wanted: Omit<RecordQuery, 'objects'>,
  ): Promise<OwnedRecord[]>
}

export async function readProgress(
  { query }: Pick<Connection, 'query'>,
  organizations: readonly number[],
): Promise<Map<number, RecordProgress>> {
  const rows = await query<RecordProgress & { organization: number }>(PROGRESS, [organizations])
  return new Map(rows.map(({ organization, ...progress }) => [organization, progress]))
}

export function recordReads(
  { query }: Pick<Connection, 'query'>,
  organization: number,
): RecordReads {
  const records = async (...args: Parameters<typeof query>) =>
    (await query<RecordRow>(...args)).map(recordOf)

  return {
    async tails(objects) {
      const values = [organization, int8Array(objects)]
      const rows = await query<{ object: number; progress: Buffer }>(TAILS, values)
      return new Map(rows.map(({ object, progress }) => [object, unpackTail(progress)]))
    },
    open: (objects) => records(OPEN, [organization, int8Array(objects)]),
    async segments(object) {
      return (await query<SpanRow>(SPANS, [organization, object])).map(spanOf)
    },
    async checkpoint(object, time) {
      return (await records(CHECKPOINT, [organization, object, time]))[0] ?? null
    },
    tasks: (limit) => query<RecordTask>(TASKS, [organization, limit]),
    find: (type, ids) => records(FIND, [organization, int8Array(ids), KINDS_OF[type]]),
    overlapping(objects, { type, range, places, minDuration, after, limit }) {
      const { object, start, kind, place } = after ?? { object: 0, ...AT_FIRST }
      const about = [organization, int8Array(objects), range.from, range.to, minDuration]
      const values = [...about, object, start, kind, place, limit]
      if (type !== 'visits') return records(SEGMENTS, [...values, KINDS_OF[type][0]])
      if (places === null) return records(VISITS, values)
      return records(VISITS_TO, [...values, ...kindsAndIds(places)])
    },
  }
}

/** The stored kinds and the ids of places. */
export function kindsAndIds({ geofences, sites }: PlaceIds): [number[], number[]] {
  const kinds = [...geofences.map(() => STORED_KIND.geofence), ...sites.map(() => STORED_KIND.site)]
  return [kinds, [...geofences, ...sites]]
}
