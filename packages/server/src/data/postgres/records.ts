import type { StoredKind } from '../../base/domain/record.ts'
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
import type { Value } from '../tables/sql.ts'
import { type Statement, statement } from './connection/connection-pool.ts'
import { type Database, ofAllOrganizations } from './connection/database.ts'
import { byteaArray, type Given, givenRows, int8Array } from './connection/given-rows.ts'

const FROM = 'FROM records WHERE organization = $1'
/** The condition on a record that overlaps the range. */
const OVERLAPS = 'start_time <= $4 AND (end_time IS NULL OR (end_time >= $3 AND duration >= $5))'
/** The page continues within one object, $6. Other objects are read from their beginning. */
const IS_AFTER = '(wanted.object > $6 OR (start_time, kind, place) > ($7, $8, $9))'
/** Only one segment that began before the range can reach into it, because they do not overlap. */
const SEGMENTS = `
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object) CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = $12 AND object = wanted.object
      AND start_time >= coalesce((
        SELECT start_time ${FROM} AND kind = $12 AND object = wanted.object AND start_time < $3
        ORDER BY start_time DESC LIMIT 1
      ), $3)
      AND ${OVERLAPS} AND ${IS_AFTER}
    ORDER BY start_time, kind, place LIMIT $11
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10`
/** No visit or change of level that has ended lasted longer than the longest one. */
const VISITS_SINCE = `start_time >= least(
  $3 - coalesce((
    SELECT longest_visit FROM record_tails WHERE organization = $1 AND object = wanted.object
  ), 0),
  coalesce((
    SELECT min(start_time) ${FROM} AND object = wanted.object AND end_time IS NULL AND place > 0
  ), $3))`
const overlappingOf = (kinds: readonly StoredKind[]) => `
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object) CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = ANY('{${kinds}}'::int4[])
      AND object = wanted.object AND ${VISITS_SINCE} AND ${OVERLAPS} AND ${IS_AFTER}
    ORDER BY start_time, kind, place LIMIT $11
  ) AS found
  ORDER BY found.object, found.start, found.kind, found.place LIMIT $10`
const OVERLAPPING = {
  visits: overlappingOf(KINDS_OF.visits),
  levels: overlappingOf(KINDS_OF.levels),
}
const VISITS_TO = `
  SELECT found.* FROM unnest($2::int8[]) AS wanted (object)
  CROSS JOIN json_to_recordset($12) AS visited (kind int, place bigint)
  CROSS JOIN LATERAL (
    SELECT ${RECORD_COLUMNS} ${FROM} AND kind = visited.kind AND place = visited.place
      AND place > 0 AND object = wanted.object AND ${VISITS_SINCE} AND ${OVERLAPS} AND ${IS_AFTER}
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
    type === 'trips' || type === 'stops'
      ? await rows(SEGMENTS, KINDS_OF[type][0]!)
      : places === null
        ? await rows(OVERLAPPING[type])
        : await rows(VISITS_TO, placesText(places))
  return found.map(recordOf)
}

const EXISTING = 'SELECT id FROM objects WHERE organization = $1 AND id = ANY($2::int8[])'
const REMOVE = `
  DELETE FROM records USING unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[])
    AS gone (kind, object, start_time, place)
  WHERE organization = $1 AND records.kind = gone.kind AND records.object = gone.object
    AND records.start_time = gone.start_time AND records.place = gone.place`
const putOf = (given: Given) => `
  INSERT INTO records (organization, kind, object, start_time, place, id, revision, updated_at,
    end_time, duration, fields, checkpoint)
  SELECT ${given.organization}, kind, object, start_time, place, id, revision, updated_at,
    end_time, duration, fields, checkpoint
  ${given.from(`unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[],
    $8::int8[], $9::int8[], $10::int8[], $11::bytea[], $12::bytea[])
    AS put (kind, object, start_time, place, id, revision, updated_at, end_time, duration, fields,
      checkpoint)`)}
  ON CONFLICT (organization, kind, object, start_time, place) DO UPDATE SET
    id = excluded.id, revision = excluded.revision, updated_at = excluded.updated_at,
    end_time = excluded.end_time, duration = excluded.duration, fields = excluded.fields,
    checkpoint = excluded.checkpoint`
const saveTailsOf = (given: Given) => `
  INSERT INTO record_tails (organization, object, progress, longest_visit)
  ${given.rows('unnest($2::int8[], $3::bytea[], $4::int8[])')}
  ON CONFLICT (organization, object) DO UPDATE SET progress = excluded.progress,
    longest_visit = greatest(record_tails.longest_visit, excluded.longest_visit)`
const REMOVE_TAILS = 'DELETE FROM record_tails WHERE organization = $1 AND object = ANY($2::int8[])'

/** Writes derived records, with one statement for each table. */
function recordWrites(isDistributed: boolean): RecordParts['write'] {
  const given = givenRows(isDistributed)
  const put = putOf(given)
  const saveTails = saveTailsOf(given)

  return function* ({ organization, all, run }, objects) {
    const ids = int8Array(objects.map(({ object }) => object))
    const existing = yield* all<{ id: number }>(EXISTING, [organization, ids])
    const exists = new Set(existing.map(({ id }) => id))
    const gone = objects.flatMap((each) =>
      leftRows(each).map(([kind, start, place]) => [kind, each.object, start, place] as const),
    )
    if (gone.length > 0) run(REMOVE, [organization, ...columns(gone, [0, 1, 2, 3])])
    const kept = objects.filter(({ object }) => exists.has(object))
    const puts = kept.flatMap(({ object, puts }) =>
      puts.filter(({ isInTail }) => !isInTail).map((put) => rowOf(object, put)),
    )
    if (puts.length > 0) run(put, [organization, ...columnsOf(puts)])
    const tails = kept.filter(({ tail }) => tail !== null)
    if (tails.length > 0) {
      run(saveTails, [
        organization,
        int8Array(tails.map(({ object }) => object)),
        byteaArray(tails.map(({ tail }) => packTail(tail!))),
        int8Array(tails.map(longestVisitOf)),
      ])
    }
    const empty = objects.filter(({ tail }) => tail === null).map(({ object }) => object)
    if (empty.length > 0) run(REMOVE_TAILS, [organization, int8Array(empty)])
  }
}

/** The columns of rows to put, as `putOf` takes them. */
function columnsOf(rows: readonly ReturnType<typeof rowOf>[]): Buffer[] {
  const numbers = (value: (row: (typeof rows)[number]) => number | null) =>
    int8Array(rows.map(value))
  return [
    numbers(({ kind }) => kind),
    numbers(({ object }) => object),
    numbers(({ start }) => start),
    numbers(({ place }) => place),
    numbers(({ id }) => id),
    numbers(({ revision }) => revision),
    numbers(({ updatedAt }) => updatedAt),
    numbers(({ end }) => end),
    numbers(({ duration }) => duration),
    byteaArray(rows.map(({ fields }) => fields)),
    byteaArray(rows.map(({ checkpoint }) => checkpoint)),
  ]
}

function columns(rows: readonly (readonly number[])[], indexes: readonly number[]): Buffer[] {
  return indexes.map((index) => int8Array(rows.map((row) => row[index]!)))
}

const DUE = { all: dueOf('true'), not_failed: dueOf('failed_at IS NULL') }

/** A Citus cluster queries one worker for one organization. `tasks`: the condition on tasks. */
function dueOf(tasks: string) {
  return { ofAll: dueIn(() => 'true', tasks), ofOne: dueIn((column) => `${column} = $1`, tasks) }
}

/** `only`: the condition on the column of an organization. */
function dueIn(only: (column: string) => string, tasks: string): Statement {
  return statement(`
    SELECT record_progress.organization FROM record_progress
    JOIN sequences ON sequences.organization = record_progress.organization
    JOIN organizations ON organizations.id = record_progress.organization
    WHERE sequences.logged > record_progress.seq AND ${only('record_progress.organization')}
    UNION
    SELECT record_tasks.organization FROM record_tasks
    JOIN organizations ON organizations.id = record_tasks.organization
    WHERE ${only('record_tasks.organization')} AND ${tasks}
    ORDER BY organization
  `)
}

export function recordParts(database: Database, isDistributed: boolean): RecordParts {
  return {
    overlapping,
    write: recordWrites(isDistributed),
    async due(tasks = 'all') {
      const { ofAll, ofOne } = DUE[tasks]
      const rows = await ofAllOrganizations(
        database,
        () => database.query<{ organization: number }>(ofAll),
        (organization) => database.query<{ organization: number }>(ofOne, [organization]),
      )
      return rows.map(({ organization }) => organization)
    },
  }
}
