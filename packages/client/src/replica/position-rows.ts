import type { StoredPosition } from './replica-store.ts'

/** The positions of one object by time. */
export type PositionRows = {
  put(time: string, row: StoredPosition): void
  /** Both ends are included, and null is open. */
  delete(from: string | null, to: string | null): void
  /** Replaces each row of the range by what `change` makes of it. */
  replace(
    from: string | null,
    to: string | null,
    change: (row: StoredPosition) => StoredPosition,
  ): void
  between(from: string, to: string): Iterable<StoredPosition>
}

/** Keeps rows in an array by time, because most come at its end. */
export function positionRows(): PositionRows {
  const times: string[] = []
  const rows: StoredPosition[] = []

  /** The index of the first time that is not before `time`. */
  function indexOf(time: string): number {
    if (times.length === 0 || times.at(-1)! < time) return times.length
    let [low, high] = [0, times.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (times[middle]! < time) low = middle + 1
      else high = middle
    }
    return low
  }

  function rangeOf(from: string | null, to: string | null): [start: number, end: number] {
    const start = from === null ? 0 : indexOf(from)
    const end = to === null ? times.length : indexOf(to)
    return [start, to !== null && times[end] === to ? end + 1 : end]
  }

  return {
    put(time, row) {
      const at = indexOf(time)
      const isKnown = times[at] === time ? 1 : 0
      times.splice(at, isKnown, time)
      rows.splice(at, isKnown, row)
    },
    delete(from, to) {
      const [start, end] = rangeOf(from, to)
      times.splice(start, end - start)
      rows.splice(start, end - start)
    },
    replace(from, to, change) {
      const [start, end] = rangeOf(from, to)
      for (let at = start; at < end; at += 1) rows[at] = change(rows[at]!)
    },
    between(from, to) {
      const [start, end] = rangeOf(from, to)
      return rows.slice(start, end)
    },
  }
}
