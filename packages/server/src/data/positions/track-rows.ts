import { LAST_TIME } from '../../base/domain/time/time.ts'
import type { Shift } from '../../engine/tracking/object-shifts.ts'
import { readTrackRows, type TrackRow } from '../../engine/tracking/track-row.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { TrackRows } from '../tables/record-tables.ts'
import { type Dialect, inSlices, type Sql, type Tables } from '../tables/sql.ts'
import { mergedRows, packedTrackRows, type TableRows } from './merged-rows.ts'
import { BEGINNING } from './packing.ts'
import { blocksOf, laterOfEach, MAX_SINGLE_ROWS, type PositionForm } from './position-tables.ts'
import { shiftReader, shiftsOf } from './shifts.ts'
import type { Span, StoredBlock } from './stored-blocks.ts'

/** Rows read at once: some 1 ms. Then others have their turn. */
const SLICE_ROWS = 1_000

/** The rows of organizations, with all shifts. `read` sees one moment. */
export function trackRows(
  dialect: Dialect,
  form: PositionForm,
): (read: Tables['read'], organization: number) => TrackRows {
  const shiftsAmong = shiftReader(dialect)
  const rowsOf = rowReader(form)
  const laterRows = laterRowReader(form)

  function* merged(sql: Sql, organization: number, object: number): Work<TableRows<TrackRow>> {
    const shifts = yield* shiftsOf(sql, organization, object)
    const table = rowsOf(sql, organization, object, shifts)
    return mergedRows(table, blocksOf(sql, organization, object), (block, span, limit) =>
      packedTrackRows(block, span, limit, shifts),
    )
  }

  return (read, organization) => ({
    rows: (object, after, limit) =>
      inSlices<TrackRow>(limit, SLICE_ROWS, (size, last) =>
        read(function* (sql) {
          const rows = yield* merged(sql, organization, object)
          return yield* rows.first({ after: last?.time ?? after, to: LAST_TIME }, size)
        }),
      ),
    rowsBefore: (object, before, limit) =>
      read(function* (sql) {
        const rows = yield* merged(sql, organization, object)
        return yield* rows.last({ after: BEGINNING, to: before - 1 }, limit)
      }),
    laterRows: (after) =>
      read(function* (sql) {
        const shifting = shiftsAmong(sql, organization, after.keys())
        const { joined, blocks } = yield* laterRows(sql, organization, after)
        const shifts = yield* shifting
        const rows = new Map<number, TrackRow[]>()
        for (const [object, parts] of joined) {
          const block = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
          rows.set(object, readTrackRows(block, shifts.get(object)?.all ?? []))
        }
        for (const [object, packed] of Map.groupBy(blocks, (block) => block.object)) {
          const span = { after: after.get(object)!, to: LAST_TIME }
          const all = packed.flatMap((block) =>
            packedTrackRows(block, span, NO_LIMIT, shifts.get(object)?.all ?? []),
          )
          for (const row of rows.get(object) ?? []) all.push(row)
          rows.set(
            object,
            all.sort((a, b) => a.time - b.time),
          )
        }
        return rows
      }),
  })
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Reads rows of the table of positions alone, as `readTrackRows` takes them. */
function rowReader({ trackRow, bytes, atMost }: PositionForm) {
  const rows = (order: string) => `
    SELECT ${trackRow} AS row, time_device FROM positions
    WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
    ORDER BY time_device ${order} LIMIT ${atMost('$5')}`
  const both = (single: string) => ({
    single,
    joined: `SELECT ${bytes('row')} AS block FROM (${single}) AS chosen`,
  })
  const first = both(rows(''))
  const last = both(`SELECT row FROM (${rows('DESC')}) AS latest ORDER BY time_device`)

  return (
    sql: Sql,
    organization: number,
    object: number,
    shifts: readonly Shift[],
  ): TableRows<TrackRow> => {
    function* read(which: typeof first, { after, to }: Span, limit: number): Work<TrackRow[]> {
      const values = [organization, object, after, to, limit]
      if (limit <= MAX_SINGLE_ROWS) {
        const found = yield* sql.all<{ row: Uint8Array }>(which.single, values)
        return readTrackRows(Buffer.concat(found.map(({ row }) => row)), shifts)
      }
      const found = yield* sql.one<{ block: Uint8Array | null }>(which.joined, values)
      return found!.block === null ? [] : readTrackRows(found!.block, shifts)
    }
    return {
      first: (span, limit) => read(first, span, limit),
      last: (span, limit) => read(last, span, limit),
    }
  }
}

/** Reads what is later than a time of each object: rows of the table as `readTrackRows` takes them, and blocks. */
function laterRowReader(form: PositionForm) {
  const { trackRow, wanted, ofEach, lists } = form
  const rows = ofEach({
    table: 'positions',
    columns: `${trackRow} AS row`,
    where: 'time_device > wanted.since',
  })
  const later = `SELECT id AS object, row FROM ${wanted(2, 'id', 'since')} ${rows}`
  const laterBlocks = laterOfEach(form)

  return function* (sql: Sql, organization: number, after: ReadonlyMap<number, number>) {
    const values = [organization, ...lists([...after.keys()], [...after.values()])]
    const reading = sql.all<{ object: number; row: Uint8Array }>(later, values)
    const blocks = sql.all<StoredBlock>(laterBlocks, values)
    const joined = new Map<number, Uint8Array[]>()
    for (const { object, row } of yield* reading) {
      const parts = joined.get(object)
      if (parts === undefined) joined.set(object, [row])
      else parts.push(row)
    }
    return { joined, blocks: yield* blocks }
  }
}
