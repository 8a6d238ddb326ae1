import { MINUTE_MS } from '../../base/domain/time/time.ts'
import { instantsOf } from '../../base/domain/time/time-zone.ts'

/** Rows may be out of order by so much, as devices send them. */
const DISORDER_MS = 2 * MINUTE_MS

/** The last row of an object with a local time, and whether its rows go back in time. Null: they have not shown it. */
type Last = { at: number; isFalling: boolean | null }

/**
 * Reads local times in the order of a file: which pass of an hour that the clocks repeat in autumn a row is of. A row is of
 * the second pass if the first one would be before the row above it, or after it in a file that goes back in time.
 */
export function orderedClocks() {
  const lasts = new Map<string, Last>()
  /** Rows of second passes, by zone. */
  const seconds = new Map<string, number>()

  return {
    /** `local`: a local time of an object as if it were UTC, ms since the epoch. */
    instantOf(ident: string, local: number, zone: string): number {
      if (zone === 'UTC') return local
      const { first, last } = instantsOf(local, zone)
      const before = lasts.get(ident)
      const isSecond = last !== first && before !== undefined && isSecondPass(first, last, before)
      if (isSecond) seconds.set(zone, (seconds.get(zone) ?? 0) + 1)
      const at = isSecond ? last : first
      lasts.set(ident, { at, isFalling: directionOf(first, last, before) })
      return at
    },
    /** A sentence for each zone. */
    notes(source: string): string[] {
      return [...seconds].map(([zone, count]) => {
        const rows = count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`
        return `'${source}' has ${rows} in the hour that ${zone} repeats when clocks go back; by the order of the rows, the import reads the second occurrence`
      })
    },
  }
}

/** A time that comes once shows the direction, and so does an hour that is before or after the last row as a whole. */
function directionOf(first: number, last: number, before: Last | undefined): boolean | null {
  const known = before?.isFalling ?? null
  if (before === undefined || (last !== first && known !== null)) return known
  return last < before.at ? true : first > before.at ? false : known
}

function isSecondPass(first: number, last: number, before: Last): boolean {
  const { at } = before
  return directionOf(first, last, before) === true
    ? last <= at + DISORDER_MS
    : first < at - DISORDER_MS && last >= at - DISORDER_MS
}
