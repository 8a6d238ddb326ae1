import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { DroppedNames, NameRoom } from '../../base/domain/position/current-attributes.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { RejectReason, Step } from '../../base/domain/position/fold-state.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import { type TimeRange, utcDay } from '../../base/domain/time/time.ts'
import type { ObjectShifts, Shift } from './object-shifts.ts'
import type { Withheld } from './rules/judge.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Work } from './work.ts'

/*
 * This file is what a store and the fold exchange: packets and their outcomes, and the tables that the fold reads
 * and writes.
 */

/** An object with its state and its shifts. */
export type FoldTarget = {
  object: MonitoredObject
  state: ObjectState
  shifts: ObjectShifts
  /** The ranges of time whose positions were erased, ascending and joined: none of theirs is stored again. */
  erased: readonly TimeRange[]
  /** The same of the values of attributes, by the names of devices. */
  erasedValues: ErasedValues
  /** The version of the rules that folded its first positions. Null: none were folded. */
  rules: number | null
}

export type ErasedValues = ReadonlyMap<string, readonly TimeRange[]>

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
  /** Finds which of the names of attributes an organization has. */
  names(organization: number, wanted: ReadonlySet<string>): Work<NameRows>
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
  /** Removes the positions of a range, which were all read and not written: at most one range of an object. */
  remove(owned: Owned, range: TimeRange): void
}

export type ShiftWrites = {
  /** Replaces all shifts of `owned` that begin at `since` or later. */
  replaceSince(owned: Owned, since: number, later: readonly Shift[]): void
}

export type MarkWrites = {
  /**
   * Notes that the fold of an object must continue after that time: `work/tasks/refold-and-pack.ts` does it. An earlier mark
   * stays.
   */
  set(organization: number, object: number, after: number): void
}

export type NameRows = NameRoom & {
  /** An object gets these names. */
  add(names: readonly string[]): void
  /** Writes what was added. */
  save(): void
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

export type NewFix = {
  object: number
  fix: Fix
  /** Why it is rejected, if the reason depends on more than its object and its values. */
  refused?: RejectReason | undefined
  /** Whether its time cannot be right, whatever the reason is for which it is rejected. */
  isClockWrong?: boolean
  /** The sender's names of values that count as unknown, because they could not be read. */
  unread?: readonly string[] | undefined
  /** The store sets it: the names of attributes for which its object, or the organization, has no room. */
  dropped?: DroppedNames | undefined
}

export type AppendOutcome =
  | 'accepted'
  | 'duplicate'
  /** Another fix of that moment is stored, or was until now. The better one stays. */
  | 'conflict'
  /** The organization has no object with that id. */
  | 'unknown_object'
  | { rejected: RejectReason }
  | Withheld

/** A packet that was not accepted, or that lost some of its values. Times in milliseconds since the epoch. */
export type Reject = {
  reason: RejectReason
  timeServer: number
  fix: Fix
  /** Its position is stored, or a better one of that moment: it is not a reject of a day. */
  isStored?: true
  /** The sender's names of the values that could not be read. */
  unread?: readonly string[]
}

/** The day for which a reject counts: that of its arrival if the clock of its device is wrong. */
export function dayOfReject({ fix, timeServer, reason }: Reject): number {
  const isOfArrival = reason === 'implausible_past' || fix.timeDevice > timeServer
  return utcDay(isOfArrival ? timeServer : fix.timeDevice)
}

/** Each object keeps this many packets that were not accepted, and as many of which something was lost. */
const MAX_REJECTS = 10

/** The last rejects of an object, newest first, with `reject` added. */
export function withReject(existing: readonly Reject[], reject: Reject): Reject[] {
  let alike = 0
  // The note of a fix would be mostly attributes, which nobody looks for there.
  const noted = { ...reject, fix: { ...reject.fix, attributes: null } }
  return [noted, ...existing].filter(({ isStored }) => {
    if (isStored === reject.isStored) alike += 1
    return isStored !== reject.isStored || alike <= MAX_REJECTS
  })
}
