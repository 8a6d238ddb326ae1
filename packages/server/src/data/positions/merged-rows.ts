import { MEASURES } from '../../base/domain/position/field-lists.ts'
import { FIX_FLAG } from '../../base/domain/position/fix-record.ts'
import type { Shift } from '../../engine/tracking/object-shifts.ts'
import { type TrackRow, trackRowMaker } from '../../engine/tracking/track-row.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { readRowAttributes } from './attribute-columns.ts'
import { AT, IS_HIDDEN, READING_BIT, WORD, withReferences } from './block-columns.ts'
import { textAt } from './column-bytes.ts'
import {
  readColumns,
  type Span,
  type StoredBlock,
  type StoredRow,
  unpackRows,
} from './stored-blocks.ts'

/** Reads one object's rows of the table of positions, in the order of their times. */
export type TableRows<Row> = {
  /** The first rows of a span, at most `limit`. */
  first(span: Span, limit: number): Work<Row[]>
  /** The last rows of a span, at most `limit`. */
  last(span: Span, limit: number): Work<Row[]>
}

/** Reads one object's blocks. */
export type Blocks = {
  /** The first block with a row later than `after`, if it begins at `to` or earlier. */
  next(span: Span): Work<StoredBlock | null>
  /** The last block that begins at `to` or earlier, if it has a row later than `after`. */
  previous(span: Span): Work<StoredBlock | null>
}

/** The rows of a block: see `unpackRows`. */
type RowsOf<Row> = (block: StoredBlock, span: Span, limit: number) => Row[]

/** Reads rows of one object, whether they are in the table of positions or in blocks. */
export function mergedRows<Row>(
  table: TableRows<Row>,
  blocks: Blocks,
  rowsOf: RowsOf<Row>,
): TableRows<Row> {
  return {
    first: (span, limit) => firstRows(table, blocks, rowsOf, span, limit),
    last: (span, limit) => lastRows(table, blocks, rowsOf, span, limit),
  }
}

function* lastRows<Row>(
  table: TableRows<Row>,
  blocks: Blocks,
  rowsOf: RowsOf<Row>,
  { after, to }: Span,
  limit: number,
): Work<Row[]> {
  const parts: Row[][] = []
  let missing = limit
  const take = (part: Row[]) => {
    parts.unshift(part)
    missing -= part.length
  }
  for (let end = to; after < end && missing > 0; ) {
    const block = yield* blocks.previous({ after, to: end })
    const later = { after: block === null ? after : Math.max(after, block.last), to: end }
    if (later.after < later.to) take(yield* table.last(later, missing))
    if (block === null || missing === 0) break
    take(rowsOf(block, { after, to: end }, -missing))
    end = block.first - 1
  }
  return parts.flat()
}

/** The rows of blocks as their table has them. */
export function storedRows(table: TableRows<StoredRow>, blocks: Blocks): TableRows<StoredRow> {
  return mergedRows(table, blocks, unpackRows)
}

function* firstRows<Row>(
  table: TableRows<Row>,
  blocks: Blocks,
  rowsOf: RowsOf<Row>,
  { after, to }: Span,
  limit: number,
): Work<Row[]> {
  const rows: Row[] = []
  for (let from = after; from < to && rows.length < limit; ) {
    const block = yield* blocks.next({ after: from, to })
    const before = { after: from, to: block === null ? to : block.first - 1 }
    if (before.after < before.to) {
      for (const row of yield* table.first(before, limit - rows.length)) rows.push(row)
    }
    if (block === null || rows.length === limit) break
    for (const row of rowsOf(block, { after: from, to }, limit - rows.length)) rows.push(row)
    from = block.last
  }
  return rows
}

const SPEED = AT.measures[MEASURES.findIndex(({ flag }) => flag === FIX_FLAG.speed)]!

const TRACK_COLUMNS: ReadonlySet<number> = new Set([
  ...withReferences([AT.time, AT.latitude, AT.longitude, SPEED, AT.odometer, AT.engineHours]),
  AT.anchorAt,
  AT.address,
])

/** The rows of a block as the derivation of records reads them, with the shifts of the object. `limit`: as for `unpackRows`. */
export function packedTrackRows(
  block: StoredBlock,
  span: Span,
  limit: number,
  shifts: readonly Shift[],
): TrackRow[] {
  const { columns, places } = readColumns(block, span, limit, TRACK_COLUMNS)
  const { numbers, addresses, attributes } = columns
  const [fix, fold, readings] = [WORD.fix, WORD.fold, WORD.readings].map((at) => columns.flags[at]!)
  const rowOf = trackRowMaker(shifts)
  const numberOf = (column: number, row: number) => numbers[column]?.[row] ?? 0
  return places.map((row) => {
    const flags = fix![row]!
    return rowOf({
      time: numberOf(AT.time, row),
      flags,
      state: fold![row]!,
      rare: readings![row]! >>> READING_BIT.rare,
      anchorAt: numberOf(AT.anchorAt, row),
      latitude: numberOf(AT.latitude, row),
      longitude: numberOf(AT.longitude, row),
      speed: numberOf(SPEED, row),
      odometer: numberOf(AT.odometer, row),
      engineHours: numberOf(AT.engineHours, row),
      isShown: (readings![row]! & IS_HIDDEN) === 0,
      address:
        (flags & FIX_FLAG.address) === 0 ? null : textAt(addresses, numberOf(AT.address, row)),
      attributes:
        (flags & FIX_FLAG.attributes) === 0
          ? null
          : (take) => readRowAttributes(attributes(), row, take),
    })
  })
}
