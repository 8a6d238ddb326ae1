import type { Counters, FoldState, Step } from '../domain/position/fold-state.ts'
import { type ObjectShifts, shiftsBetween } from './object-shifts.ts'
import { packRowFold, type StoredPosition } from './stored-position.ts'

/** The amounts by which counters differ: mm, mm and ms. */
export type Difference = { odometer: number; mileage: number; engineHours: number }

/** Null if only one side knows a counter: no shift can make them equal. */
export function difference(fold: FoldState, counters: Counters): Difference | null {
  const odometer = minus(fold.odometer, counters.odometer)
  const engineHours = minus(fold.engineHours, counters.engineHours)
  const mileage = minus(fold.mileage, counters.mileage)
  if (odometer === null || engineHours === null || mileage === null) return null
  return { odometer, engineHours, mileage }
}

function minus(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a === b ? 0 : null
  return a - b
}

/**
 * Whether the new step of a stored position differs from the stored one only by a shift of its counters.
 * `since`: shifts from that time on move behind the rewritten positions. `replaced`: the time of a position
 * whose fix was replaced.
 */
export function isOnlyShifted(
  shifts: ObjectShifts,
  since: number,
  position: StoredPosition,
  step: Step,
  by: Difference,
  replaced: number | null,
): boolean {
  return (
    isSameFold(position, step, replaced) &&
    by.mileage ===
      mileageShift(shifts, since, position.fix.timeDevice, step.fold.tripFrom, by.odometer)
  )
}

function isSameFold(
  { fix, rowFold, track, hidden }: StoredPosition,
  step: Step,
  replaced: number | null,
): boolean {
  if ((hidden !== null) !== step.hidden) return false
  // A fold state names its points by their times. One of these times may now have another fix.
  const pointed = [rowFold.anchorAt, rowFold.lastAt, rowFold.shownAt]
  if (replaced !== null && pointed.includes(replaced)) return false
  return Buffer.compare(packRowFold(step.fold, fix), track) === 0
}

/**
 * The amount by which the mileage of a position moves if its odometer and those after it move by
 * `odometer`, and the shifts from `since` on begin at it. `tripFrom`: when its trip began.
 */
export function mileageShift(
  shifts: ObjectShifts,
  since: number,
  time: number,
  tripFrom: number | null,
  odometer: number,
): number {
  if (tripFrom === null) return odometer
  if (tripFrom === time) return 0
  const overtaken = shiftsBetween(shifts, since, tripFrom)
  return overtaken.reduce((all, shift) => all + shift.odometer, odometer)
}

/** Whether a step shows a stored position in another way, or in another trip. */
export function isShownOtherwise(
  { counters, isCut, rowFold, hidden }: StoredPosition,
  step: Step,
): boolean {
  if (hidden !== null && step.hidden) return false
  const { fold } = step
  return (
    // Readers of shifts have the sum below zero.
    isCut ||
    (hidden !== null) !== step.hidden ||
    rowFold.tripFrom !== fold.tripFrom ||
    rowFold.motion !== fold.motion ||
    counters.odometer !== fold.odometer ||
    counters.mileage !== fold.mileage ||
    counters.engineHours !== fold.engineHours
  )
}
