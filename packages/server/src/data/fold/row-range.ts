import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import { DAMAGED, unlessDamaged, type Work } from '../../engine/tracking/work.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import type { Around, Counts } from './rows-around.ts'

export const FIRST_TIME = 0

/** All rows of an object in a closed range of time, in the order of their times. */
export type RowRange = { from: number; to: number; rows: StoredRow[] }

export function includes({ from, to }: RowRange, time: number): boolean {
  return from <= time && time <= to
}

/** The index of the first row that is not older than `time`. */
export function indexFrom({ rows }: RowRange, time: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]!.time < time) low = middle + 1
    else high = middle
  }
  return low
}

export function rowAt(range: RowRange, time: number): StoredRow | null {
  const row = range.rows[indexFrom(range, time)]
  return row?.time === time ? row : null
}

/** Puts a row at its time, in place of the row that is there. Does nothing outside of the range. */
export function putRow(range: RowRange, row: StoredRow): void {
  if (!includes(range, row.time)) return
  const index = indexFrom(range, row.time)
  range.rows.splice(index, range.rows[index]?.time === row.time ? 1 : 0, row)
}

/** The range with all written rows in it, in place of the stored rows of their times. */
export function withWritten(range: RowRange, written: ReadonlyMap<number, StoredRow>): RowRange {
  if (written.size === 0) return range
  const mine = [...written.values()].filter(({ time }) => includes(range, time))
  const others = range.rows.filter(({ time }) => !written.has(time))
  return { ...range, rows: [...others, ...mine].sort((a, b) => a.time - b.time) }
}

/** A read of few rows reaches this far, so that it touches few partitions. */
const REACH_MS = 14 * 24 * 3_600_000

/** Reads the object's rows next to a moment within the bounds. */
export type ReadAround = (time: number, bounds: TimeRange, counts: Counts) => Work<Around>

/**
 * Reads an object's stored rows. A result has all rows of its range, which it may end early: it does so before positions that
 * are damaged, and a read whose first row is damaged throws `DamagedPositions`.
 */
export type RangeReader = {
  /** The rows around a moment. */
  around(time: number): Work<RowRange>
  /** The last `count` rows up to `end`. */
  upTo(end: number, count: number): Work<RowRange>
  /** The first rows from `start` on, at most `count`. */
  since(start: number, count: number): Work<RowRange>
  only(time: number): Work<StoredRow | null>
  /** The range of rows that somebody else has read with these bounds and counts. */
  rangeOf(bounds: TimeRange, counts: Counts, around: Around): RowRange
}

/** The bounds of a read around some moments. `newest`: the time of the newest stored row. */
export function boundsAround(times: readonly number[], newest: number): TimeRange {
  const from = times.reduce((least, time) => Math.min(least, time), LAST_TIME) - REACH_MS
  const to = times.reduce((most, time) => Math.max(most, time), FIRST_TIME) + REACH_MS
  return { from: Math.max(FIRST_TIME, from), to: Math.min(newest, to) }
}

/** `newest`: the time of the object's newest stored row. `ahead`: rows that are read around a late fix. */
export function rangeReader(read: ReadAround, newest: number, ahead: Counts): RangeReader {
  /** Few rows were found after the last read, so the next one reaches to the end. */
  let isSparse = false

  /** The end of a range that has all rows up to `to`. There is nothing after the newest row. */
  const endOf = (to: number) => (to >= newest ? LAST_TIME : to)

  function rangeOf(bounds: TimeRange, counts: Counts, { earlier, later }: Around): RowRange {
    isSparse = later.length < counts.later
    return {
      from: earlier.length < counts.earlier ? bounds.from : earlier[0]!.time,
      to: isSparse ? endOf(bounds.to) : later.at(-1)!.time,
      rows: [...earlier, ...later],
    }
  }

  function* upTo(end: number, count: number): Work<RowRange> {
    const bounds = { from: FIRST_TIME, to: end }
    const counts = { earlier: count, later: 0 }
    const { earlier } = yield* read(end + 1, bounds, counts)
    const from = earlier.length < count ? FIRST_TIME : earlier[0]!.time
    return { from, to: end, rows: earlier }
  }

  function* since(start: number, count: number): Work<RowRange> {
    const to = isSparse ? newest : Math.min(newest, start + REACH_MS)
    const counts = { earlier: 0, later: count }
    const { later } = yield* read(start, { from: start, to }, counts)
    isSparse = later.length < count
    return { from: start, to: isSparse ? endOf(to) : later.at(-1)!.time, rows: later }
  }

  return {
    rangeOf,
    *around(time) {
      const bounds = boundsAround([time], newest)
      const found = yield* unlessDamaged(() => read(time, bounds, ahead))
      return found === DAMAGED ? yield* upTo(time, 1) : rangeOf(bounds, ahead, found)
    },
    upTo: (end, count) => narrowed((rows) => upTo(end, rows), count),
    since: (start, count) => narrowed((rows) => since(start, rows), count),
    *only(time) {
      const counts = { earlier: 0, later: 1 }
      const { later } = yield* read(time, { from: time, to: time }, counts)
      return later[0] ?? null
    },
  }
}

/** Damage among rows that nobody may ask for does not count: then one row is read at a time. */
function* narrowed(read: (count: number) => Work<RowRange>, count: number): Work<RowRange> {
  const range = yield* unlessDamaged(() => read(count))
  return range === DAMAGED ? yield* read(1) : range
}
