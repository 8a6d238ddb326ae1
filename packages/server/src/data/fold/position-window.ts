import { addAll } from '../../base/domain/common/any-number.ts'
import { isWithin, LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { RowsAhead } from '../positions/position-tables.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import {
  FIRST_TIME,
  includes,
  indexFrom,
  putRow,
  RangeReader,
  type ReadAround,
  type RowRange,
  rowAt,
  withWritten,
} from './row-range.ts'
import type { Around, Counts } from './rows-around.ts'

/**
 * A transaction's view of one object's positions: the stored rows with those that the transaction has
 * written. It has one range of them in memory, which grows by chunks as needed.
 */
export type PositionWindow = {
  at(time: number): Work<StoredRow | null>
  /** The newest row older than `time`. */
  before(time: number): Work<StoredRow | null>
  /** Rows later than `time`, in order, at most `limit`. */
  after(time: number, limit: number): Work<StoredRow[]>
  /** The newest row for which `is` holds. */
  newest(is: (row: StoredRow) => boolean): Work<StoredRow | null>
  /** Puts a row at its time, in place of one that is there. */
  put(row: StoredRow): void
  /** Removes the rows of a range, which were read. */
  remove(range: TimeRange): void
  /** Takes over the rows that were read around a moment, within these bounds and counts. */
  cover(bounds: TimeRange, counts: Counts, around: Around): void
}

/** The state of a window. */
type View = {
  stored: RangeReader
  written: Map<number, StoredRow>
  range: RowRange
  readonly ahead: RowsAhead
  /** Rows of the next extension. */
  chunkRows: number
  /** The range whose rows are removed. */
  removed: TimeRange | null
}

/**
 * `newest`: the time of the object's newest stored row; null if it has none. `written`: the rows that the
 * transaction has written so far, by time.
 */
export function positionWindow(
  read: ReadAround,
  newest: number | null,
  written: Map<number, StoredRow>,
  ahead: RowsAhead,
): PositionWindow {
  const stored = new RangeReader(read, newest ?? FIRST_TIME, ahead)
  // Without stored rows the range is all time. Otherwise it is empty before the first read.
  const [from, to] = newest === null ? [FIRST_TIME, LAST_TIME] : [LAST_TIME, FIRST_TIME]
  const range = withWritten({ from, to, rows: [] }, written)
  const view: View = {
    stored,
    written,
    range,
    ahead,
    chunkRows: ahead.chunk,
    removed: null,
  }
  return {
    at: (time) => at(view, time),
    before: (time) => before(view, time),
    after: (time, limit) => after(view, time, limit),
    newest: (is) => newestOf(view, is),
    put(row) {
      written.set(row.time, row)
      putRow(view.range, row)
    },
    remove(range) {
      for (const at of written.keys()) if (isWithin(range, at)) written.delete(at)
      view.removed = range
      view.range = seenOf(view, view.range)
    },
    cover: (bounds, counts, around) => startWith(view, stored.rangeOf(bounds, counts, around)),
  }
}

function* at(view: View, time: number): Work<StoredRow | null> {
  if (includes(view.range, time)) return rowAt(view.range, time)
  const mine = view.written.get(time)
  if (mine !== undefined) return mine
  // A fold state may point far back. Read that row alone, because the next reads go forward.
  const { from, to } = view.range
  if (time < from && from <= to) return yield* view.stored.only(time)
  startWith(view, yield* view.stored.around(time))
  return rowAt(view.range, time)
}

function* before(view: View, time: number): Work<StoredRow | null> {
  if (!includes(view.range, time - 1)) startWith(view, yield* view.stored.around(time))
  for (;;) {
    const index = indexFrom(view.range, time)
    if (index > 0) return view.range.rows[index - 1]!
    if (view.range.from === FIRST_TIME) return null
    yield* extendBack(view)
  }
}

function* after(view: View, time: number, limit: number): Work<StoredRow[]> {
  const isBeside = view.range.from <= time + 1 && time <= view.range.to
  if (!isBeside) startWith(view, yield* view.stored.around(time + 1))
  for (;;) {
    const { rows, to } = view.range
    const index = indexFrom(view.range, time + 1)
    const missing = limit - (rows.length - index)
    if (missing <= 0 || to === LAST_TIME) return rows.slice(index, index + limit)
    yield* extendOn(view, missing)
  }
}

/** Searches backwards, without growing the range: the row may be far away from the next reads. */
function* newestOf(view: View, is: (row: StoredRow) => boolean): Work<StoredRow | null> {
  const reachesEnd = view.range.to === LAST_TIME
  const found = reachesEnd ? view.range.rows.findLast(is) : undefined
  if (found !== undefined) return found
  let end = reachesEnd ? view.range.from - 1 : LAST_TIME
  for (let count = view.ahead.chunk; end >= FIRST_TIME; count = view.ahead.maxChunk) {
    const earlier = seenOf(view, yield* view.stored.upTo(end, count))
    const row = earlier.rows.findLast(is)
    if (row !== undefined) return row
    end = earlier.from - 1
  }
  return null
}

/** The stored rows that are not removed, with the written ones. */
function seenOf({ removed, written }: View, range: RowRange): RowRange {
  const rows =
    removed === null ? range.rows : range.rows.filter(({ time }) => !isWithin(removed, time))
  return withWritten({ ...range, rows }, written)
}

function startWith(view: View, range: RowRange): void {
  view.range = seenOf(view, range)
  view.chunkRows = view.ahead.chunk
}

function* extendBack(view: View): Work<void> {
  const { from, to, rows } = view.range
  const earlier = seenOf(view, yield* view.stored.upTo(from - 1, nextChunk(view)))
  view.range = { from: earlier.from, to, rows: [...earlier.rows, ...rows] }
}

function* extendOn(view: View, atLeast: number): Work<void> {
  const { range } = view
  const count = Math.max(atLeast, nextChunk(view))
  const later = seenOf(view, yield* view.stored.since(range.to + 1, count))
  addAll(range.rows, later.rows)
  range.to = later.to
}

function nextChunk(view: View): number {
  const rows = view.chunkRows
  view.chunkRows = Math.min(2 * rows, view.ahead.maxChunk)
  return rows
}
