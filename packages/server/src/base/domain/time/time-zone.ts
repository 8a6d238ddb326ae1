import { DAY_MS, utcDay } from './time.ts'

/**
 * The moment at which a clock in a time zone shows a local time. `local` is that time as if it were UTC.
 * Both are milliseconds since the epoch.
 *
 * When the offset changes, some local times are skipped or repeated. A skipped time moves on by the
 * length of the gap. Of two moments the earlier one counts. Temporal calls this `compatible`; java.time
 * and RFC 5545 do the same.
 */
export function instantOf(local: number, zone: string): number {
  return instantsOf(local, zone).first
}

/** The moments at which a clock in a time zone shows a local time: two of a repeated one, otherwise twice the same. */
export function instantsOf(local: number, zone: string): { first: number; last: number } {
  if (zone === 'UTC') return { first: local, last: local }
  const { offsetAt } = offsetsOf(zone)
  const before = offsetAt(local - DAY_MS)
  const after = offsetAt(local + DAY_MS)
  const isBefore = offsetAt(local - before) === before
  const isAfter = offsetAt(local - after) === after
  const first = local - (isAfter && !isBefore ? after : before)
  return { first, last: isAfter && isBefore ? local - after : first }
}

/** The offsets of a zone. Times are milliseconds since the epoch. */
type Offsets = {
  /** The milliseconds by which the zone's clocks are ahead of UTC at a moment. */
  offsetAt(time: number): number
  /** The first moment with another offset than `from`, which must exist up to `to`. */
  changeBetween(from: number, to: number): number
}

const zones = new Map<string, Offsets>()
/** The cache is bounded, because a name can be written in many ways (upper and lower case). */
const MAX_ZONES = 1_000

export function offsetsOf(zone: string): Offsets {
  let offsets = zones.get(zone)
  if (offsets === undefined) {
    if (zones.size >= MAX_ZONES) zones.clear()
    offsets = openOffsets(zone)
    zones.set(zone, offsets)
  }
  return offsets
}

/**
 * The offset at the start of a UTC day, and the offset after its change. No zone changes its offset twice
 * a day.
 */
type Day = { before: number; changeAt: number; after: number }

const MAX_DAYS = 1_000

/** The offsets of a day are cached, because `Intl` takes microseconds for each moment. */
function openOffsets(timeZone: string): Offsets {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const days = new Map<number, Day>()

  function shownAt(time: number): number {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
    for (const { type, value } of format.formatToParts(time)) shown[type] = Number(value)
    const { year, month, day, hour, minute, second } = shown
    return Date.UTC(year!, month! - 1, day, hour, minute, second)
  }

  /** `Intl` gives whole seconds only. */
  const offsetAt = (time: number) => shownAt(time) - time

  function readDay(day: number): Day {
    let changeAt = day * DAY_MS
    const before = offsetAt(changeAt)
    const after = offsetAt(changeAt + DAY_MS)
    if (before === after) return { before, changeAt, after }
    // Finds the last second with the earlier offset by bisection.
    for (let step = 65_536_000; step >= 1_000; step /= 2) {
      if (changeAt + step < (day + 1) * DAY_MS && offsetAt(changeAt + step) === before) {
        changeAt += step
      }
    }
    return { before, changeAt: changeAt + 1_000, after }
  }

  function dayAt(number: number): Day {
    let day = days.get(number)
    if (day === undefined) {
      if (days.size >= MAX_DAYS) days.clear()
      day = readDay(number)
      days.set(number, day)
    }
    return day
  }

  return {
    offsetAt(time) {
      const { before, changeAt, after } = dayAt(utcDay(time))
      return time < changeAt ? before : after
    },
    changeBetween(from, to) {
      for (let day = utcDay(from); day <= utcDay(to); day += 1) {
        const { before, changeAt, after } = dayAt(day)
        if (before !== after && changeAt > from) return changeAt
      }
      throw new RangeError('the offset does not change')
    },
  }
}

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
