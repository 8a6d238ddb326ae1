import { takeTurn } from '../../base/domain/common/slots.ts'
import { keyOf, STORED_KIND } from '../../base/domain/record.ts'
import type {
  OwnedRecord,
  PlaceIds,
  RecordOffset,
  RecordProgress,
  RecordQuery,
  RecordSelection,
  RecordStore,
  RecordTask,
  Tail,
} from '../../engine/store/record-store.ts'
import { BEGINNING } from '../../engine/tracking/refold-slice.ts'
import type { Work } from '../../engine/tracking/work.ts'
import {
  AT_FIRST,
  KINDS_OF,
  type RecordRow,
  recordColumns,
  recordOf,
  type SpanRow,
  spanColumns,
  spanOf,
  unpackTail,
} from './record-columns.ts'
import type { Dialect, Sql, Tables, Value } from './sql.ts'

const OBJECTS_AFTER = `
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`

/** The ids of the next objects of an organization above an id, ascending. */
export function* objectsAfter(
  { all }: Sql,
  organization: number,
  after: number,
  limit: number,
): Work<number[]> {
  const rows = yield* all<{ id: number }>(OBJECTS_AFTER, [organization, after, limit])
  return rows.map(({ id }) => id)
}

/**
 * The selected records of some objects, by object, start, kind and place, after a place. Those under way have any
 * duration, because their rows do not know it. Each store reads them its own way.
 */
export type Overlapping = (
  read: Tables['read'],
  organization: number,
  objects: readonly number[],
  wanted: Wanted,
) => Promise<OwnedRecord[]>

/** `isFirstOnly`: the first record of each object is enough. */
export type Wanted = Omit<RecordQuery, 'objects'> & { readonly isFirstOnly?: boolean }

/** Citus joins tables only by the value that a statement gives for their organization. */
export const RECORD_COLUMNS = recordColumns('$1')
export const TASK_COLUMNS = 'kind, id, after, failed_at AS "failedAt", error'
/** Not `EXISTS`, which PostgreSQL may turn into a join of all records with all objects. */
const IS_KEPT = `(
  SELECT true FROM objects WHERE objects.organization = $1 AND objects.id = records.object)`

/** The reads of the derived records of an organization, for the methods of `RecordView` with these names. */
export function recordReads(dialect: Dialect) {
  const { list } = dialect
  const { progress, tails, open, spans, checkpoint, inRefold, tasks, find } = statements(dialect)

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
    *checkpoint(sql: Sql, organization: number, object: number, time: number, attribute?: number) {
      const kind = attribute === undefined ? STORED_KIND.stop : STORED_KIND.level
      const values = [organization, object, time, kind, attribute ?? 0]
      return (yield* records(sql, checkpoint, values))[0] ?? null
    },
    *inRefold({ all }: Sql, organization: number) {
      return (yield* all<{ object: number }>(inRefold, [organization])).map(({ object }) => object)
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
      SELECT ${RECORD_COLUMNS} ${from} AND kind = $4 AND object = $2 AND place = $5
        AND start_time <= $3 AND checkpoint IS NOT NULL
      ORDER BY start_time DESC LIMIT 1`,
    inRefold: `
      SELECT object FROM refolds WHERE organization = $1 AND from_time > ${BEGINNING}`,
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

/** Pairs of a stored kind and the id of a place or an attribute, as JSON. */
export function placesText({ geofences, sites, attributes = [] }: PlaceIds): string {
  return JSON.stringify([
    ...attributes.map((place) => ({ kind: STORED_KIND.level, place })),
    ...geofences.map((place) => ({ kind: STORED_KIND.geofence, place })),
    ...sites.map((place) => ({ kind: STORED_KIND.site, place })),
  ])
}

/** `RecordStore.page`, through a `read`. */
type RecordPages = (
  read: Tables['read'],
  ...asked: Parameters<RecordStore['page']>
) => Promise<OwnedRecord[]>

/** Objects that are read together. */
const SLICE_OBJECTS = 50

/** Reads pages of records, object by object. Others run in between. */
export function recordPages(dialect: Dialect, overlapping: Overlapping): RecordPages {
  const visitors = visitorsOf(dialect)

  /** At most `limit` existing objects with ids above `after`, ascending: all, or those with visits to places. */
  function* nextObjects(
    sql: Sql,
    organization: number,
    places: string | null,
    after: number,
    limit: number,
  ): Work<number[]> {
    if (places === null) return yield* objectsAfter(sql, organization, after, limit)
    const rows = yield* sql.all<{ id: number }>(visitors, [organization, after, limit, places])
    return rows.map(({ id }) => id)
  }

  return async (read, organization, query) => {
    const { objects, limit } = query
    const places = query.places === null ? null : placesText(query.places)
    const found: OwnedRecord[] = []
    let place: RecordOffset = query.after ?? { object: 0, ...AT_FIRST }
    for (let first = place.object - 1; found.length < limit; await takeTurn()) {
      const slice =
        objects === null
          ? await read((sql) => nextObjects(sql, organization, places, first, SLICE_OBJECTS))
          : objects.filter((each) => each > first).slice(0, SLICE_OBJECTS)
      if (slice.length === 0) break
      const asked = limit - found.length
      const wanted = { ...query, after: place, limit: asked }
      const records = await overlapping(read, organization, slice, wanted)
      for (const each of records) if (isSelected(each, query)) found.push(each)
      const last = records.at(-1)
      if (last !== undefined && records.length === asked) {
        place = { object: last.object, ...keyOf(last.record) }
        first = last.object - 1
        continue
      }
      first = slice.at(-1)!
      place = { object: first + 1, ...AT_FIRST }
    }
    return found
  }
}

/** Whether a record that overlaps the range of a selection is in it. */
export function isSelected(
  { object, record: { start, end, until } }: OwnedRecord,
  { minDuration, shownFrom }: RecordSelection,
): boolean {
  if (shownFrom !== undefined && end !== null && end < shownFrom(object)) return false
  return until - start >= minDuration
}

/** The first object after each one is found by the index, so that its other visits are not read. */
function visitorsOf({ given }: Dialect): string {
  const firstAfter = (after: string) => `(
    SELECT min((
      SELECT object FROM records
      WHERE organization = $1 AND records.kind = given.kind AND records.place = given.place
        AND records.place > 0 AND object > ${after}
      ORDER BY object LIMIT 1
    )) FROM ${given('$4', { kind: 'bigint', place: 'bigint' })}
  )`
  return `
    WITH RECURSIVE visitors (id) AS (
      SELECT ${firstAfter('$2')}
      UNION ALL
      SELECT ${firstAfter('visitors.id')} FROM visitors WHERE visitors.id IS NOT NULL
    )
    SELECT id FROM visitors
    WHERE EXISTS (
      SELECT 1 FROM objects WHERE objects.organization = $1 AND objects.id = visitors.id
    )
    LIMIT $3`
}
