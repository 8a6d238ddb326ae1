import type { Counters } from '../../base/domain/position/fold-state.ts'

/**
 * A late fix changes the counters of everything after it by the same amount. We store that amount once,
 * with the time from which it applies, so that a month of rows need not be rewritten. The counters shown
 * for a position are the stored ones plus all shifts up to its time.
 */
export type Shift = { from: number; odometer: number; engineHours: number }
export type ShiftOfObject = Shift & { object: number }

/** The shifts of one object, by time. */
export type ObjectShifts = {
  readonly all: readonly Shift[]
  /** The shifts that begin earlier than `time`. */
  before(time: number): ObjectShifts
  /** The counters shown for a position that stores `stored`. */
  shown(stored: Counters, time: number, tripFrom: number | null): Counters
  /**
   * Whether a counter of a position that stores `stored` would be below zero. It is shown as 0, until the rest of an
   * unfinished fold rewrites it.
   */
  isCut(stored: Counters, time: number, tripFrom: number | null): boolean
  /** The counters that a position must store to show `shown`. */
  stored(shown: Counters, time: number, tripFrom: number | null): Counters
}

export const NO_SHIFTS: ObjectShifts = {
  all: [],
  before: () => NO_SHIFTS,
  shown: (stored) => stored,
  isCut: () => false,
  stored: (shown) => shown,
}

export function objectShifts(all: readonly Shift[]): ObjectShifts {
  if (all.length === 0) return NO_SHIFTS
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
    // The mileage counts from the odometer at the beginning of its trip, and a shift may move that
    // odometer too.
    const trip = here.odometer - upTo(tripFrom).odometer
    const plus = (value: number | null, by: number) => (value === null ? null : value + sign * by)
    return {
      odometer: plus(counters.odometer, here.odometer),
      mileage: plus(counters.mileage, trip),
      engineHours: plus(counters.engineHours, here.engineHours),
    }
  }
  return {
    all,
    before: (time) => objectShifts(all.filter(({ from }) => from < time)),
    shown: (stored, time, tripFrom) => cut(moved(stored, time, tripFrom, 1)),
    isCut: (stored, time, tripFrom) => isBelowZero(moved(stored, time, tripFrom, 1)),
    stored: (shown, time, tripFrom) => cut(moved(shown, time, tripFrom, -1)),
  }
}

/** A sum is below zero only while a fold is unfinished. The rest of the fold rewrites these counters. */
function cut({ odometer, mileage, engineHours }: Counters): Counters {
  const cutOne = (value: number | null) => (value === null ? null : Math.max(0, value))
  return {
    odometer: cutOne(odometer),
    mileage: cutOne(mileage),
    engineHours: cutOne(engineHours),
  }
}

function isBelowZero({ odometer, mileage, engineHours }: Counters): boolean {
  return (odometer ?? 0) < 0 || (mileage ?? 0) < 0 || (engineHours ?? 0) < 0
}

/** `rows`: those of each object by time. */
export function shiftsByObject(rows: readonly ShiftOfObject[]): Map<number, ObjectShifts> {
  const byObject = Map.groupBy(rows, ({ object }) => object)
  return new Map(Array.from(byObject, ([object, shifts]) => [object, objectShifts(shifts)]))
}

/** The shifts that begin from `since` up to and including `last`. */
export function shiftsBetween({ all }: ObjectShifts, since: number, last: number): Shift[] {
  return all.filter(({ from }) => from >= since && from <= last)
}

/** Both amounts, from the time of `shift` on. */
export function sumOf(shift: Shift, other: Shift): Shift {
  return {
    from: shift.from,
    odometer: shift.odometer + other.odometer,
    engineHours: shift.engineHours + other.engineHours,
  }
}

/** Adds a shift that begins at or before the first of `shifts`. */
export function withShift(shifts: readonly Shift[], shift: Shift): Shift[] {
  const same = shifts.find(({ from }) => from === shift.from)
  if (same === undefined) return [shift, ...shifts]
  return shifts.map((other) => (other === same ? sumOf(same, shift) : other))
}

export function isZero({ odometer, engineHours }: Shift): boolean {
  return odometer === 0 && engineHours === 0
}
