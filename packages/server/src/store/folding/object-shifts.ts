import type { Counters } from '../../domain/track.ts'

/**
 * A fix that comes late changes the counters of everything after it, by one and the same amount. That
 * amount is kept once, with the time from which on it applies, instead of writing a month anew: what
 * is shown of a position is what it stores plus all shifts up to its time.
 */
export type Shift = { from: number; odometer: number; engineHours: number }

/** The shifts of one object, by time. */
export type ObjectShifts = {
  readonly all: readonly Shift[]
  /** Those that begin earlier than `time`. */
  before(time: number): ObjectShifts
  /** What a position that stores these counters shows. */
  shown(stored: Counters, time: number, tripFrom: number | null): Counters
  /** What a position has to store to show these. */
  stored(shown: Counters, time: number, tripFrom: number | null): Counters
}

const NONE: ObjectShifts = {
  all: [],
  before: () => NONE,
  shown: (stored) => stored,
  stored: (shown) => shown,
}

export function objectShifts(all: readonly Shift[]): ObjectShifts {
  if (all.length === 0) return NONE
  const upTo = (time: number | null) => {
    const sum = { odometer: 0, engineHours: 0 }
    if (time === null) return sum
    for (const { from, odometer, engineHours } of all) {
      if (from > time) break
      sum.odometer += odometer
      sum.engineHours += engineHours
    }
    return sum
  }
  const moved = (counters: Counters, time: number, tripFrom: number | null, sign: 1 | -1) => {
    const here = upTo(time)
    // The mileage counts from the odometer at its trip's beginning, which may be shifted as well.
    const trip = here.odometer - upTo(tripFrom).odometer
    // Below zero only where a fold is not finished: what is left of it writes these anew.
    const plus = (value: number | null, by: number) =>
      value === null ? null : Math.max(0, value + sign * by)
    return {
      odometer: plus(counters.odometer, here.odometer),
      mileage: plus(counters.mileage, trip),
      engineHours: plus(counters.engineHours, here.engineHours),
    }
  }
  return {
    all,
    before: (time) => objectShifts(all.filter(({ from }) => from < time)),
    shown: (stored, time, tripFrom) => moved(stored, time, tripFrom, 1),
    stored: (shown, time, tripFrom) => moved(shown, time, tripFrom, -1),
  }
}
