import { type Work, waitFor } from '../folding/work.ts'
import type { TimeRange } from '../store.ts'
import type { Around, Counts, StoredRow } from './position-rows.ts'

/** The range of all times: a record has 48 bits for one. */
const FIRST = 0
const LAST = 2 ** 48 - 1

/** Rows read around a late fix: about as many as its fold needs. */
export const AROUND: Counts = { earlier: 16, later: 64 }
/** The first look reaches this far, so that it touches few partitions. */
const REACH_MS = 14 * 24 * 3_600_000
/** Rows read per extension, at first and at most. */
const CHUNK_ROWS = 128
const MAX_CHUNK_ROWS = 512

/**
 * A transaction's view of one object's positions: a stretch of stored rows, which grows by chunks as
 * needed, overlaid with the rows that the transaction has written.
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
  /** Makes the stretch what was read around a moment, within its bounds and counts. */
  cover(bounds: TimeRange, counts: Counts, around: Around): void
}

/** Reads the object's rows next to a moment within the bounds. */
export type ReadAround = (time: number, bounds: TimeRange, counts: Counts) => Promise<Around>

/** The bounds for a first look around some moments. `newest`: the time of the newest stored row. */
export function boundsAround(times: readonly number[], newest: number): TimeRange {
  const from = times.reduce((least, time) => Math.min(least, time), LAST) - REACH_MS
  const to = times.reduce((most, time) => Math.max(most, time), FIRST) + REACH_MS
  return { from: Math.max(FIRST, from), to: Math.min(newest, to) }
}

/**
 * `newest`: the time of the object's newest stored row; null if it has none. `written`: rows written so
 * far, by time.
 */
export function positionWindow(
  read: ReadAround,
  newest: number | null,
  written: Map<number, StoredRow>,
): PositionWindow {
  /**
   * The range of time in which the stretch has all rows: empty at first, or all time if none are stored.
   */
  let [from, to] = newest === null ? [FIRST, LAST] : [LAST, FIRST]
  let rows = newest === null ? overlaid([]) : []
  let chunk = CHUNK_ROWS
  /** Whether the last read found few rows after the stretch. */
  let isSparse = false

  const covers = (time: number) => from <= time && time <= to

  /** Stored rows as the transaction sees them. */
  function overlaid(stored: StoredRow[], first = FIRST, last = LAST): StoredRow[] {
    if (written.size === 0) return stored
    const mine = [...written.values()].filter(({ time }) => first <= time && time <= last)
    const others = stored.filter(({ time }) => !written.has(time))
    return [...others, ...mine].sort((a, b) => a.time - b.time)
  }

  /** The index of the first row that is not older than `time`. */
  function indexOf(time: number): number {
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (rows[middle]!.time < time) low = middle + 1
      else high = middle
    }
    return low
  }

  function rowAt(time: number): StoredRow | null {
    const row = rows[indexOf(time)]
    return row?.time === time ? row : null
  }

  function cover(bounds: TimeRange, counts: Counts, { earlier, later }: Around): void {
    isSparse = later.length < counts.later
    chunk = CHUNK_ROWS
    from = earlier.length < counts.earlier ? bounds.from : earlier[0]!.time
    to = isSparse ? endOf(bounds) : later.at(-1)!.time
    rows = overlaid([...earlier, ...later], from, to)
  }

  /** There is nothing after the newest row. */
  function endOf(bounds: TimeRange): number {
    return bounds.to >= newest! ? LAST : bounds.to
  }

  function* move(time: number): Work<void> {
    const bounds = boundsAround([time], newest!)
    cover(bounds, AROUND, yield* waitFor(read(time, bounds, AROUND)))
  }

  function* readBack(count: number, end: number): Work<{ first: number; rows: StoredRow[] }> {
    const bounds = { from: FIRST, to: end }
    const { earlier } = yield* waitFor(read(end + 1, bounds, { earlier: count, later: 0 }))
    const first = earlier.length < count ? FIRST : earlier[0]!.time
    return { first, rows: overlaid(earlier, first, end) }
  }

  function* extendBack(): Work<void> {
    const before = yield* readBack(nextChunk(), from - 1)
    rows = [...before.rows, ...rows]
    from = before.first
  }

  function* extendOn(atLeast: number): Work<void> {
    const start = to + 1
    const count = Math.max(atLeast, nextChunk())
    const bounds = { from: start, to: isSparse ? newest! : Math.min(newest!, start + REACH_MS) }
    const { later } = yield* waitFor(read(start, bounds, { earlier: 0, later: count }))
    isSparse = later.length < count
    to = isSparse ? endOf(bounds) : later.at(-1)!.time
    rows.push(...overlaid(later, start, to))
  }

  function nextChunk(): number {
    const rows = chunk
    chunk = Math.min(2 * chunk, MAX_CHUNK_ROWS)
    return rows
  }

  return {
    cover,
    *at(time) {
      if (covers(time)) return rowAt(time)
      const mine = written.get(time)
      if (mine !== undefined) return mine
      // A track may point far back. Read that row alone, because the next reads go forward.
      if (time < from && from <= to) {
        const around = yield* waitFor(
          read(time, { from: time, to: time }, { earlier: 0, later: 1 }),
        )
        return around.later[0] ?? null
      }
      yield* move(time)
      return rowAt(time)
    },
    *before(time) {
      if (!covers(time - 1)) yield* move(time)
      for (;;) {
        const index = indexOf(time)
        if (index > 0) return rows[index - 1]!
        if (from === FIRST) return null
        yield* extendBack()
      }
    },
    *after(time, limit) {
      if (time + 1 < from || time > to) yield* move(time + 1)
      for (;;) {
        const index = indexOf(time + 1)
        const missing = limit - (rows.length - index)
        if (missing <= 0 || to === LAST) return rows.slice(index, index + limit)
        yield* extendOn(missing)
      }
    },
    *newest(is) {
      const found = to === LAST ? rows.findLast(is) : undefined
      if (found !== undefined) return found
      let end = to === LAST ? from - 1 : LAST
      for (let count = CHUNK_ROWS; end >= FIRST; count = MAX_CHUNK_ROWS) {
        const before = yield* readBack(count, end)
        const row = before.rows.findLast(is)
        if (row !== undefined) return row
        end = before.first - 1
      }
      return null
    },
    put(row) {
      written.set(row.time, row)
      if (!covers(row.time)) return
      const index = indexOf(row.time)
      rows.splice(index, rows[index]?.time === row.time ? 1 : 0, row)
    },
  }
}
