import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type {
  Counters,
  FoldRules,
  FoldState,
  Motion,
  Step,
} from '../../base/domain/position/fold-state.ts'
import type { Tables } from './fold-tables.ts'
import {
  isZero,
  type ObjectShifts,
  objectShifts,
  type Shift,
  shiftsBetween,
  sumOf,
  withShift,
} from './object-shifts.ts'
import { type Owned, packRowFold, type StoredPosition } from './stored-position.ts'
import { DAMAGED, unlessDamaged, type Work } from './work.ts'

/** The result of folding the positions after a changed one. */
export type RefoldResult = {
  shifts: ObjectShifts
  /** The fold state at the newest position, if the fold got there. Null: only `shift` changes that fold state. */
  fold: FoldState | null
  /** Applies from its time on. `mileage` is for the trip under way at that time. */
  shift: (Shift & { mileage: number }) | null
  /** Positions whose motion changed. */
  turned: { at: number; is: Motion | null }[]
  /** The time after which to continue, if the fold stopped because too much changes at once. */
  unfinishedAfter: number | null
  /** Number of positions read. */
  passed: number
}

/** How far a fold over stored positions goes. */
export type RefoldReach = {
  /** The fold rewrites this many positions even where a shift would be enough, so that shifts stay far apart. */
  near: number
  /** The fold stops after this many positions and continues later. */
  far: number
  /** Whether to continue to the newest position, because later positions may change on their own. */
  whole: boolean
}

/** The reach of a late fix. Rewriting 50 positions takes about 0.2 ms. */
export const LATE_REACH: RefoldReach = { near: 50, far: 1_000, whole: false }

/** Positions per read. Most folds settle at the first or second position, so the first read is small. */
const FIRST_CHUNK_POSITIONS = 4
const CHUNK_POSITIONS = 64

/** The change, and how far to fold. */
type Refold = {
  owned: Owned
  object: MonitoredObject
  /** The fold state at the changed position. */
  from: FoldState
  /** Shifts that begin at or after this time move to the first position after the rewritten ones. */
  since: number
  /** The time of a position whose fix was replaced. */
  replaced: number | null
  /** The time of the last position that was removed after `from`. */
  removedUpTo?: number
  change: number
  reach: RefoldReach
}

/** How far the fold has come. */
type Progress = {
  /** The fold state at the last rewritten position, and its time. */
  fold: FoldState
  lastTime: number
  passed: number
  turned: RefoldResult['turned']
  /** The times of the last rows and of the last believed ones as they were stored. Null: not among the rows that it passed. */
  stored: Stored
}

type Stored = {
  readonly at: number | null
  readonly last: number | null
  readonly before: number | null
}

type Ending = Pick<RefoldResult, 'fold' | 'shift' | 'unfinishedAfter'>

/**
 * Folds on from a changed position and rewrites each position that comes out differently. Ends when the
 * fold differs from the stored one only by the same amount in all later counters: that amount becomes a
 * shift.
 */
export function* refoldAfter(tables: Tables, rules: FoldRules, refold: Refold): Work<RefoldResult> {
  const { owned, object, from, since, removedUpTo = from.at } = refold
  const writing: Owned = { ...owned, shifts: owned.shifts.before(since) }
  const stored: Stored = { at: null, last: null, before: null }
  const lastTime = Math.max(from.at, removedUpTo)
  const progress: Progress = { fold: from, lastTime, passed: 0, turned: [], stored }
  for (let next = FIRST_CHUNK_POSITIONS; ; next = CHUNK_POSITIONS) {
    const size = Math.min(next, refold.reach.far + 1 - progress.passed)
    const chunk = yield* unlessDamaged(() => tables.positions.after(owned, progress.lastTime, size))
    // Positions that cannot be read keep their counters, and so do those after them, until a recompute.
    if (chunk === DAMAGED) return finish(tables, refold, progress, unchangedAfter(progress))
    for (const position of chunk) {
      const step = rules.advance(progress.fold, object, position.fix)
      progress.stored = storedAt(progress.stored, position)
      const ending = endingAt(refold, progress, position, step)
      if (ending !== null) return finish(tables, refold, progress, ending)
      tables.positions.replace(writing, position, position.fix, step, refold.change)
      noteRow(tables, owned.object, position, step)
      note(progress, position, step)
    }
    if (chunk.length < size) {
      const ending = { fold: progress.fold, shift: null, unfinishedAfter: null }
      return finish(tables, refold, progress, ending)
    }
  }
}

/** Shifts that the fold has overtaken begin after the rewritten positions. */
function unchangedAfter({ lastTime }: Progress): Ending {
  return { fold: null, shift: { from: lastTime + 1, ...NO_SHIFT }, unfinishedAfter: null }
}

/** A row does not name the believed position before the last one, which may have changed although its bytes are the same. */
function storedAt({ at, last, before }: Stored, { fix, rowFold }: StoredPosition): Stored {
  const { timeDevice: time } = fix
  if (rowFold.suspect) return { at: time, last, before }
  return { at: time, last: time, before: rowFold.joins ? at : last }
}

/** Whether the fold ends before this position, and how. Null: it continues. */
function endingAt(
  { owned, since, replaced, reach }: Refold,
  { passed, lastTime, stored }: Progress,
  position: StoredPosition,
  step: Step,
): Ending | null {
  const from = position.fix.timeDevice
  const by = position.isCut ? null : difference(step.fold, position.counters)
  if (
    by !== null &&
    !reach.whole &&
    stored.before !== null &&
    stored.before === step.fold.before?.time &&
    isOnlyShifted(owned.shifts, since, position, step, by, replaced)
  ) {
    const isShifted = by.odometer !== 0 || by.engineHours !== 0
    const hasShift = owned.shifts.all.some((shift) => shift.from === from)
    if (!isShifted || hasShift || passed >= reach.near) {
      return { fold: null, shift: { from, ...by }, unfinishedAfter: null }
    }
  }
  if (passed < reach.far) return null
  const shift = {
    from,
    ...(by !== null && staysAboveZero(owned, since, position, by) ? by : NO_SHIFT),
  }
  return { fold: null, shift, unfinishedAfter: lastTime }
}

const NO_SHIFT: Difference = { odometer: 0, mileage: 0, engineHours: 0 }

/** Whether no counter of an unfinished position would be below zero, which no answer could show. */
function staysAboveZero(
  { shifts }: Owned,
  since: number,
  { fix, counters, rowFold }: StoredPosition,
  { odometer, engineHours }: Difference,
): boolean {
  const mileage = mileageShift(shifts, since, fix.timeDevice, rowFold.tripFrom, odometer)
  return (
    (counters.odometer ?? 0) + odometer >= 0 &&
    (counters.mileage ?? 0) + mileage >= 0 &&
    (counters.engineHours ?? 0) + engineHours >= 0
  )
}

function note(progress: Progress, { fix, rowFold }: StoredPosition, { fold }: Step): void {
  if (rowFold.motion !== fold.motion) progress.turned.push({ at: fix.timeDevice, is: fold.motion })
  progress.fold = fold
  progress.lastTime = fix.timeDevice
  progress.passed += 1
}

/** Notes a row that was rewritten with another step. */
export function noteRow(
  { notes }: Tables,
  object: number,
  position: StoredPosition,
  step: Step,
): void {
  const { timeDevice } = position.fix
  if (isShownOtherwise(position, step)) notes.position(object, timeDevice)
  else notes.rewritten(object, timeDevice)
}

/** A shift that began inside the rewritten positions now begins at the first position after them. */
function finish(
  tables: Tables,
  { owned, since }: Refold,
  { lastTime, passed, turned }: Progress,
  ending: Ending,
): RefoldResult {
  const { shift } = ending
  const overtaken = shiftsBetween(owned.shifts, since, lastTime)
  if (overtaken.length === 0 && (shift === null || isZero(shift))) {
    return { ...ending, shifts: owned.shifts, turned, passed }
  }
  const ahead = owned.shifts.all.filter(({ from }) => from > lastTime)
  const all = shift === null ? ahead : withShift(ahead, overtaken.reduce(sumOf, shift))
  const later = all.filter((each) => !isZero(each))
  tables.shifts.replaceSince(owned, since, later)
  if (shift !== null) noteMoved(tables, owned, shift, overtaken)
  const shifts = objectShifts([...owned.shifts.before(since).all, ...later])
  return { ...ending, shifts, turned, passed }
}

/**
 * Notes how the counters of the positions that were not rewritten read from now on. A trip that began after
 * an overtaken shift had that shift at both ends, and now has it at the later one alone.
 */
function noteMoved(
  { notes }: Tables,
  { object }: Owned,
  { from, odometer, engineHours }: Shift,
  overtaken: readonly Shift[],
): void {
  if (odometer !== 0 || engineHours !== 0) {
    notes.shift(object, { from, tripsSince: null, odometer, mileage: odometer, engineHours })
  }
  for (const { from: tripsSince, odometer: mileage } of overtaken) {
    if (mileage === 0) continue
    notes.shift(object, { from, tripsSince, odometer: 0, mileage, engineHours: 0 })
  }
}

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
 * Whether the new step of a stored position differs from the stored one only by a shift of its counters. `since`:
 * shifts from that time on move to the first position after the rewritten ones. `replaced`: the time of a position
 * whose fix was replaced.
 */
function isOnlyShifted(
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
  const { anchorAt, lastAt, shownAt, startAt, originAt } = rowFold
  const pointed = [anchorAt, lastAt, shownAt, startAt, originAt]
  if (replaced !== null && pointed.includes(replaced)) return false
  return Buffer.compare(packRowFold(step.fold, fix), track) === 0
}

/**
 * The amount by which the mileage of a position moves if its odometer and those after it move by
 * `odometer`, and the shifts from `since` on begin at it. `tripFrom`: when its trip began.
 */
function mileageShift(
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
    rowFold.suspect !== (fold.suspect !== null) ||
    counters.odometer !== fold.odometer ||
    counters.mileage !== fold.mileage ||
    counters.engineHours !== fold.engineHours
  )
}
