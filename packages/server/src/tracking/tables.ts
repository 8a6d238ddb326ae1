import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { Fix } from '../domain/position/fix.ts'
import type { Step } from '../domain/position/fold-state.ts'
import type { ObjectState } from '../domain/position/object-state.ts'
import type { ObjectShifts, Shift } from './object-shifts.ts'
import type { Reject } from './outcome.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Work } from './work.ts'

/** An object with its state and its shifts. */
export type FoldTarget = { object: MonitoredObject; state: ObjectState; shifts: ObjectShifts }

/** Finds an object of the transaction's organization. Null if it has no object with that id. */
export type FindFoldTarget = (object: number) => FoldTarget | null

/**
 * The reads and writes that a store adapter provides to the fold, within one transaction. Reads may be asynchronous. A write
 * must be visible to later reads as soon as the call returns.
 */
export type Tables = {
  positions: Positions
  shifts: ShiftWrites
  refoldMarks: MarkWrites
  rejects: RejectWrites
  notes: ChangeNotes
}

/** One object's positions. Reads add the shifts that apply to the counters, and writes subtract them. */
export type Positions = {
  at(owned: Owned, time: number): Work<StoredPosition | null>
  /** The newest position older than `time`. */
  before(owned: Owned, time: number): Work<StoredPosition | null>
  /** Positions later than `time`, in order, at most `limit`. */
  after(owned: Owned, time: number, limit: number): Work<StoredPosition[]>
  /** Comes before a fold that replaces all positions later than `time`, at least `count` of them: rows of blocks cannot change. */
  prepare(owned: Owned, time: number, count: number): Work<void>
  /** The newest position for which `is` holds. */
  newest(owned: Owned, is: (position: StoredPosition) => boolean): Work<StoredPosition | null>
  /** `isLate`: whether the object has a newer position. */
  insert(owned: Owned, fix: Fix, step: Step, change: number, isLate: boolean): void
  /** Replaces the fix or the step of the position at that moment. Keeps whether it is late. */
  replace(owned: Owned, existing: StoredPosition, fix: Fix, step: Step, change: number): void
}

export type ShiftWrites = {
  /** Replaces all shifts of `owned` that begin at `since` or later. */
  replaceSince(owned: Owned, since: number, later: readonly Shift[]): void
}

export type MarkWrites = {
  /**
   * Notes that the fold of an object must continue after that time: `tasks/refolding.ts` does it. An earlier mark
   * stays.
   */
  set(organization: number, object: number, after: number): void
}

export type RejectWrites = {
  add(organization: number, object: number, reject: Reject): void
}

/** Takes notes for the change log. They become part of the transaction with the states. */
export type ChangeNotes = {
  /** A position is shown now, is shown with other values, or is no longer shown. */
  position(object: number, time: number): void
  /** A row was stored or rewritten, but answers show the same as before. */
  rewritten(object: number, time: number): void
  /**
   * The counters of all positions from `from` on moved. `mileage` is for those whose trip began before
   * `from` and, unless it is null, at `tripsSince` or later.
   */
  shift(object: number, shift: Shift & { mileage: number; tripsSince: number | null }): void
}
