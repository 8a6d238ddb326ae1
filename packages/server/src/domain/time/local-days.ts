import { DAY_MS } from './time.ts'
import { offsetsOf } from './time-zone.ts'

/**
 * The days of a time zone, counted from 1970-01-01. A day begins when the zone's clocks first show its date, and
 * lasts until the next day begins. So days do not overlap, also where clocks are set back across midnight. Times
 * are milliseconds since the epoch.
 */
export type LocalDays = {
  dayOf(time: number): number
  /** The first moment of a day. A day that the zone skipped is empty: it has the first moment of the next one. */
  startOf(day: number): number
}

/** `zone`: a name that `TIME_ZONE_RULE` accepts. */
export function localDays(zone: string): LocalDays {
  const { offsetAt, changeBetween } = offsetsOf(zone)

  function startOf(day: number): number {
    const midnight = day * DAY_MS
    // No offset is a day long.
    const before = offsetAt(midnight - DAY_MS)
    const after = offsetAt(midnight + DAY_MS)
    const atFirst = midnight - before
    if (before === after) return atFirst
    const change = changeBetween(midnight - DAY_MS, midnight + DAY_MS)
    // Clocks that skip midnight show the new date from the change on.
    return atFirst < change ? atFirst : Math.max(change, midnight - after)
  }

  return {
    startOf,
    dayOf(time) {
      const shown = Math.floor((time + offsetAt(time)) / DAY_MS)
      return time < startOf(shown + 1) ? shown : shown + 1
    },
  }
}
