import type { Step, Track, Tracking } from '../../domain/track.ts'
import { type Aftermath, type Reach, refoldAfter } from './refold-after.ts'
import { stateAfterRefold } from './state-after-refold.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Tables } from './tables.ts'
import { trackAt } from './track-at.ts'
import type { Tracked } from './tracked.ts'
import type { Work } from './work.ts'

/** A time before any position. */
export const BEGINNING = -1

/** Positions per transaction. Folding them takes a few milliseconds. */
const SLICE = 500
const REACH: Reach = { near: SLICE, far: SLICE, whole: true }

export type RefoldedSlice = {
  tracked: Tracked
  /** Number of positions folded again. */
  folded: number
  /** The time after which to continue. Null: the fold is complete. */
  unfinishedAfter: number | null
}

/** Folds the next positions after `after` again. Null if the object has no position there. */
export function* refoldSlice(
  tables: Tables,
  existing: Tracked,
  after: number,
  change: number,
  tracking: Tracking,
): Work<RefoldedSlice | null> {
  const { positions } = tables
  const { object } = existing
  const { organization, id } = object
  const owned: Owned = { organization, object: id, shifts: existing.shifts }
  const at = after === BEGINNING ? null : yield* positions.at(owned, after)
  const from = at ?? (yield* positions.after(owned, after, 1))[0]
  if (from === undefined) return null
  // A hidden first position carries the counters of the positions that retention removed.
  const isTaken = from.fix.timeDevice === after || (from.hidden !== null && from.row !== null)
  const turned: Aftermath['turned'] = []
  let track: Track
  if (isTaken) {
    track = yield* trackAt(positions, owned, from)
  } else {
    ;({ track } = begin(tables, owned, existing, from, change, tracking))
    turned.push({ at: track.at, is: track.motion })
  }
  const aftermath = yield* refoldAfter(tables, tracking, {
    owned,
    object,
    from: track,
    since: isTaken ? track.at + 1 : track.at,
    replaced: null,
    change,
    reach: REACH,
  })
  aftermath.turned.push(...turned)
  const { shifts, passed, unfinishedAfter } = aftermath
  const now: Owned = { ...owned, shifts }
  const state = yield* stateAfterRefold(positions, now, existing.state, aftermath, null, null)
  // The first position is folded before those that follow it.
  const folded = passed + turned.length
  return { tracked: { object, state, shifts }, folded, unfinishedAfter }
}

/** The first position has no track before it. */
function begin(
  { positions }: Tables,
  owned: Owned,
  { object }: Tracked,
  first: StoredPosition,
  change: number,
  tracking: Tracking,
): Step {
  const step = tracking.advance(null, object, first.fix)
  const writing = { ...owned, shifts: owned.shifts.before(first.fix.timeDevice) }
  positions.replace(writing, first, first.fix, step, change)
  return step
}
