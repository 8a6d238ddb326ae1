import type { Fix } from '../../domain/fix.ts'
import type { Step } from '../../domain/track.ts'
import type { Reject } from '../store.ts'
import type { Shift } from './object-shifts.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Work } from './work.ts'

/**
 * What the fold asks of an adapter, all of it parts of one transaction. What is read may be waited
 * for; what is written stands, for what is read after it, when the call returns.
 */
export type Tables = {
  positions: Positions
  shifts: ShiftWrites
  marks: MarkWrites
  rejects: RejectWrites
}

/**
 * One object's positions: read with their counters as they are shown, and written so that they are,
 * whatever shifts apply.
 */
export type Positions = {
  at(owned: Owned, time: number): Work<StoredPosition | null>
  /** The newest that is older than `time`. */
  before(owned: Owned, time: number): Work<StoredPosition | null>
  /** In order, those later than `time`, at most `limit`. */
  after(owned: Owned, time: number, limit: number): Work<StoredPosition[]>
  /** The newest of those that are so. */
  newest(owned: Owned, is: (position: StoredPosition) => boolean): Work<StoredPosition | null>
  insert(owned: Owned, fix: Fix, step: Step, change: number): void
  /** Puts another fix, or another step, in the place of what stands at that moment. */
  replace(owned: Owned, standing: StoredPosition, fix: Fix, step: Step, change: number): void
}

export type ShiftWrites = {
  /** Has those of `owned` that begin at `since` or later be these. */
  replaceSince(owned: Owned, since: number, later: readonly Shift[]): void
}

export type MarkWrites = {
  /**
   * Notes that an object's positions are to be folded on after that time. Where there is a mark
   * already, the earlier of the two stands.
   */
  set(organization: number, object: number, after: number): void
}

export type RejectWrites = {
  add(organization: number, object: number, reject: Reject): void
}
