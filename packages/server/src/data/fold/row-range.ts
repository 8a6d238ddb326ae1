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
  if (range.rows[index]?.time === row.time) range.rows[index] = row
  else range.rows.splice(index, 0, row)
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

/** The bounds of a read around some moments. `newest`: the time of the newest stored row. */
export function boundsAround(times: readonly number[], newest: number): TimeRange {
  const from = times.reduce((least, time) => Math.min(least, time), LAST_TIME) - REACH_MS
  const to = times.reduce((most, time) => Math.max(most, time), FIRST_TIME) + REACH_MS
  return { from: Math.max(FIRST_TIME, from), to: Math.min(newest, to) }
}

/**
 * Reads an object's stored rows. A result has all rows of its range, which it may end early: it does so before positions that
 * are damaged, and a read whose first row is damaged throws `DamagedPositions`.
 */
export class RangeReader {
  private readonly read: ReadAround
  private readonly newest: number
  private readonly ahead: Counts
  /** Few rows were found after the last read, so the next one reaches to the end. */
  private isSparse = false

  /** `newest`: the time of the object's newest stored row. `ahead`: rows that are read around a late fix. */
  constructor(read: ReadAround, newest: number, ahead: Counts) {
    this.read = read
    this.newest = newest
    this.ahead = ahead
  }

  /** The range of rows that somebody else has read with these bounds and counts. */
  rangeOf(bounds: TimeRange, counts: Counts, { earlier, later }: Around): RowRange {
    this.isSparse = later.length < counts.later
    return {
      from: earlier.length < counts.earlier ? bounds.from : earlier[0]!.time,
      to: this.isSparse ? this.endOf(bounds.to) : later.at(-1)!.time,
      rows: [...earlier, ...later],
    }
  }

  /** The rows around a moment. */
  *around(time: number): Work<RowRange> {
    const { ahead } = this
    const bounds = boundsAround([time], this.newest)
    const found = yield* unlessDamaged(() => this.read(time, bounds, ahead))
    return found === DAMAGED ? yield* this.rowsUpTo(time, 1) : this.rangeOf(bounds, ahead, found)
  }

  /** The last `count` rows up to `end`. */
  upTo(end: number, count: number): Work<RowRange> {
    return narrowed((rows) => this.rowsUpTo(end, rows), count)
  }

  /** The first rows from `start` on, at most `count`. */
  since(start: number, count: number): Work<RowRange> {
    return narrowed((rows) => this.rowsSince(start, rows), count)
  }

  *only(time: number): Work<StoredRow | null> {
    const counts = { earlier: 0, later: 1 }
    const { later } = yield* this.read(time, { from: time, to: time }, counts)
    return later[0] ?? null
  }

  private *rowsUpTo(end: number, count: number): Work<RowRange> {
    const bounds = { from: FIRST_TIME, to: end }
    const { earlier } = yield* this.read(end + 1, bounds, { earlier: count, later: 0 })
    const from = earlier.length < count ? FIRST_TIME : earlier[0]!.time
    return { from, to: end, rows: earlier }
  }

  private *rowsSince(start: number, count: number): Work<RowRange> {
    const { newest } = this
    const to = this.isSparse ? newest : Math.min(newest, start + REACH_MS)
    const { later } = yield* this.read(start, { from: start, to }, { earlier: 0, later: count })
    this.isSparse = later.length < count
    return { from: start, to: this.isSparse ? this.endOf(to) : later.at(-1)!.time, rows: later }
  }

  /** The end of a range that has all rows up to `to`. There is nothing after the newest row. */
  private endOf(to: number): number {
    return to >= this.newest ? LAST_TIME : to
  }
}

/** Damage among rows that nobody may ask for does not count: then one row is read at a time. */
function* narrowed(read: (count: number) => Work<RowRange>, count: number): Work<RowRange> {
  const range = yield* unlessDamaged(() => read(count))
  return range === DAMAGED ? yield* read(1) : range
}
