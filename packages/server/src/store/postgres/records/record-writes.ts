import { leftRows, longestVisitOf, rowOf } from '../../record-rows.ts'
import type { RecordParts } from '../../tables/records.ts'
import { packTail } from '../../tail-form.ts'
import { byteaArray, int8Array } from '../connection/binary-arrays.ts'
import { type Given, givenRows } from '../items/given-rows.ts'

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
export function recordWrites(isDistributed: boolean): RecordParts['write'] {
  const given = givenRows(isDistributed)
  const put = putOf(given)
  const saveTails = saveTailsOf(given)

  return function* ({ organization, all, run }, objects) {
    const ids = int8Array(objects.map(({ object }) => object))
    const existing = yield* all<{ id: number }>(EXISTING, [organization, ids])
    const exists = new Set(existing.map(({ id }) => id))
    const left = objects.flatMap((each) =>
      leftRows(each).map(([kind, start, place]) => [kind, each.object, start, place] as const),
    )
    if (left.length > 0) run(REMOVE, [organization, ...columns(left, [0, 1, 2, 3])])
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
