import { STORED_KIND } from '../../domain/record.ts'
import type { Work } from '../../tracking/work.ts'
import {
  KINDS_OF,
  type RecordRow,
  recordColumns,
  recordOf,
  type SpanRow,
  spanColumns,
  spanOf,
} from '../record-rows.ts'
import type { OwnedRecord, PlaceIds, RecordProgress, RecordTask, Tail } from '../record-store.ts'
import { unpackTail } from '../tail-form.ts'
import type { Dialect, Sql, Value } from './sql.ts'

/** Citus joins tables only by the value that a statement gives for their organization. */
export const RECORD_COLUMNS = recordColumns('$1')
export const TASK_COLUMNS = 'kind, id, after, failed_at AS "failedAt", error'
/** Not `EXISTS`, which PostgreSQL may turn into a join of all records with all objects. */
const IS_KEPT = `(
  SELECT true FROM objects WHERE objects.organization = $1 AND objects.id = records.object)`

/** The reads of the derived records of an organization, for the methods of `RecordView` with these names. */
export function recordReads(dialect: Dialect) {
  const { list } = dialect
  const { progress, tails, open, spans, checkpoint, tasks, find } = statements(dialect)

  function* records({ all }: Sql, statement: string, values: Value[]): Work<OwnedRecord[]> {
    return (yield* all<RecordRow>(statement, values)).map(recordOf)
  }

  return {
    *progress(
      { all }: Pick<Sql, 'all'>,
      organizations: readonly number[],
    ): Work<Map<number, RecordProgress>> {
      const rows = yield* all<RecordProgress & { organization: number }>(progress, [
        list(organizations),
      ])
      return new Map(rows.map(({ organization, ...progress }) => [organization, progress]))
    },
    *tails({ all }: Sql, organization: number, objects: readonly number[]) {
      type TailRow = { object: number; progress: Uint8Array }
      const rows = yield* all<TailRow>(tails, [organization, list(objects)])
      return new Map(
        rows.map(({ object, progress }): [number, Tail] => [object, unpackTail(progress)]),
      )
    },
    openRecords: (sql: Sql, organization: number, objects: readonly number[]) =>
      records(sql, open, [organization, list(objects)]),
    *segments({ all }: Sql, organization: number, object: number) {
      return (yield* all<SpanRow>(spans, [organization, object])).map(spanOf)
    },
    *checkpoint(sql: Sql, organization: number, object: number, time: number) {
      return (yield* records(sql, checkpoint, [organization, object, time]))[0] ?? null
    },
    *tasks({ all }: Sql, organization: number, limit: number): Work<RecordTask[]> {
      return (yield* all<RecordTask>(tasks, [organization, limit])).map((task) => ({ ...task }))
    },
    records: (
      sql: Sql,
      organization: number,
      type: keyof typeof KINDS_OF,
      ids: readonly number[],
    ) => records(sql, find, [organization, list(ids), list(KINDS_OF[type])]),
  }
}

function statements({ isIn, by, bytewise }: Dialect) {
  const from = 'FROM records WHERE organization = $1'
  return {
    progress: `
      SELECT organization, seq, at, last_id AS "lastId" FROM record_progress
      WHERE ${isIn('organization', '$1')}`,
    tails: `
      SELECT object, progress FROM record_tails
      WHERE organization = $1 AND ${isIn('object', '$2')}`,
    open: `
      SELECT ${RECORD_COLUMNS} FROM records ${by('open_records')}
      WHERE organization = $1 AND ${isIn('object', '$2')} AND end_time IS NULL
      ORDER BY object, kind, start_time, place`,
    spans: `
      SELECT ${spanColumns('$1')} ${from} AND kind IN (${STORED_KIND.trip}, ${STORED_KIND.stop})
        AND object = $2
      ORDER BY kind, start_time`,
    checkpoint: `
      SELECT ${RECORD_COLUMNS} ${from} AND kind = ${STORED_KIND.stop} AND object = $2
        AND start_time <= $3 AND checkpoint IS NOT NULL
      ORDER BY start_time DESC LIMIT 1`,
    tasks: `
      SELECT ${TASK_COLUMNS} FROM record_tasks WHERE organization = $1
      ORDER BY kind ${bytewise}, id LIMIT $2`,
    // By the kind as it is, PostgreSQL would read all records of a kind before it has counted rows.
    find: `
      SELECT ${RECORD_COLUMNS} FROM records ${by('records_by_id')}
      WHERE organization = $1 AND ${isIn('id', '$2')} AND ${isIn('kind + 0', '$3')} AND ${IS_KEPT}
      ORDER BY id`,
  }
}

/** Pairs of a stored kind and the id of a place, as JSON. */
export function placesText({ geofences, sites }: PlaceIds): string {
  return JSON.stringify([
    ...geofences.map((place) => ({ kind: STORED_KIND.geofence, place })),
    ...sites.map((place) => ({ kind: STORED_KIND.site, place })),
  ])
}
