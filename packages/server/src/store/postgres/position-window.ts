import { type Work, waitFor } from '../folding/work.ts'
import type { TimeRange } from '../store.ts'
import type { Around, Counts, StoredRow } from './position-rows.ts'

/** All times there can be: a record has 48 bits for one. */
const FIRST = 0
const LAST = 2 ** 48 - 1

/** Rows that are read around a late fix: about what its fold takes. */
export const AROUND: Counts = { earlier: 16, later: 64 }
/** As far as that is looked for at first: in few of the partitions. */
const REACH_MS = 14 * 24 * 3_600_000
/** Rows that are read on by, at first and at last. */
const CHUNK_ROWS = 128
const MOST_CHUNK_ROWS = 512

/**
 * What a transaction sees of one object's positions: a stretch of those that are stored, which reads
 * on by chunks as it is needed, and over it what the transaction itself has written.
 */
export type PositionWindow = {
  at(time: number): Work<StoredRow | null>
  /** The newest that is older than `time`. */
  before(time: number): Work<StoredRow | null>
  /** In order, those later than `time`, at most `limit`. */
  after(time: number, limit: number): Work<StoredRow[]>
  /** The newest of those that are so. */
  newest(is: (row: StoredRow) => boolean): Work<StoredRow | null>
  /** Has a row stand at its time. */
  put(row: StoredRow): void
  /** Takes for the stretch what was read around a moment, no further than that and no more. */
  cover(bounds: TimeRange, counts: Counts, around: Around): void
}

/** Reads the object's rows next to a moment that lie in the bounds. */
export type ReadAround = (time: number, bounds: TimeRange, counts: Counts) => Promise<Around>

/** Where to look at first for what lies around some moments; `newest`: of what is stored. */
export function boundsAround(times: readonly number[], newest: number): TimeRange {
  const from = times.reduce((least, time) => Math.min(least, time), LAST) - REACH_MS
  const to = times.reduce((most, time) => Math.max(most, time), FIRST) + REACH_MS
  return { from: Math.max(FIRST, from), to: Math.min(newest, to) }
}

/** `newest`: of the object's stored rows, null where it has none. `written`: what is put, by time. */
export function positionWindow(
  read: ReadAround,
  newest: number | null,
  written: Map<number, StoredRow>,
): PositionWindow {
  /** From which time to which the stretch has all rows: at first of no time, or of all there is. */
  let [from, to] = newest === null ? [FIRST, LAST] : [LAST, FIRST]
  let rows = newest === null ? overlaid([]) : []
  let chunk = CHUNK_ROWS
  /** Whether there was little behind the stretch when it was last read on. */
  let isSparse = false

  const covers = (time: number) => from <= time && time <= to

  /** Rows of a stretch, as the transaction sees them. */
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

  function standing(time: number): StoredRow | null {
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

  /** Behind the newest there is nothing. */
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
    chunk = Math.min(2 * chunk, MOST_CHUNK_ROWS)
    return rows
  }

  return {
    cover,
    *at(time) {
      if (covers(time)) return standing(time)
      const mine = written.get(time)
      if (mine !== undefined) return mine
      // What a track points to may lie far back; what is asked for next lies on.
      if (time < from && from <= to) {
        const around = yield* waitFor(
          read(time, { from: time, to: time }, { earlier: 0, later: 1 }),
        )
        return around.later[0] ?? null
      }
      yield* move(time)
      return standing(time)
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
      for (let count = CHUNK_ROWS; end >= FIRST; count = MOST_CHUNK_ROWS) {
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
