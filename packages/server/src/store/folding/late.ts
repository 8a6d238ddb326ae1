import type { Fix } from '../../domain/fix.ts'
import type { Tracking } from '../../domain/track.ts'
import type { AppendOutcome } from '../store.ts'
import { type Reach, refoldAfter } from './refold-after.ts'
import { stateAfterRefold } from './state-after-refold.ts'
import { heardFrom } from './state-in-order.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Tables } from './tables.ts'
import { trackAt } from './track-at.ts'
import type { Tracked } from './tracked.ts'
import type { Work } from './work.ts'

/** Rewriting 50 positions takes about 0.2 ms. */
const REACH: Reach = { near: 50, far: 1_000, whole: false }

type Taken = { outcome: AppendOutcome; tracked: Tracked }

/** Takes a fix that is not newer than the newest fix of its object. */
export function* takeLate(
  tables: Tables,
  tracked: Tracked,
  fix: Fix,
  change: number,
  tracking: Tracking,
): Work<Taken> {
  const { positions, marks, rejects } = tables
  const { organization, id } = tracked.object
  const owned: Owned = { organization, object: id, shifts: tracked.shifts }
  const state = heardFrom(tracked.state, fix.timeServer)
  const existing = yield* positions.at(owned, fix.timeDevice)
  const order = existing === null ? 1 : tracking.prefer(fix, existing.fix)
  if (order <= 0) {
    const outcome = order === 0 ? 'duplicate' : 'conflict'
    return { outcome, tracked: { ...tracked, state } }
  }

  const before = yield* positions.before(owned, fix.timeDevice)
  if (before === null) {
    const oldest = existing ?? (yield* positions.after(owned, fix.timeDevice, 1))[0]
    if (isKeptForItsCounters(oldest)) {
      rejects.add(organization, id, { reason: 'beyond_retention', timeServer: fix.timeServer, fix })
      return { outcome: { rejected: 'beyond_retention' }, tracked: { ...tracked, state } }
    }
  }
  const from = before === null ? null : yield* trackAt(positions, owned, before)
  const step = tracking.advance(from, tracked.object, fix)
  const writing: Owned = { ...owned, shifts: owned.shifts.before(fix.timeDevice) }
  if (existing === null) positions.insert(writing, fix, step, change)
  else positions.replace(writing, existing, fix, step, change)
  const aftermath = yield* refoldAfter(tables, tracking, {
    owned,
    object: tracked.object,
    from: step.track,
    since: fix.timeDevice,
    replaced: existing === null ? null : fix.timeDevice,
    change,
    reach: REACH,
  })
  if (aftermath.unfinishedAfter !== null) {
    marks.set(organization, id, aftermath.unfinishedAfter)
  }
  aftermath.turned.push({ at: fix.timeDevice, is: step.track.motion })
  const now: Owned = { ...owned, shifts: aftermath.shifts }
  const after = yield* stateAfterRefold(positions, now, state, aftermath, existing, fix)
  return {
    outcome: existing === null ? 'accepted' : 'conflict',
    tracked: { ...tracked, shifts: aftermath.shifts, state: after },
  }
}

/**
 * The oldest position is hidden only if retention removed those before it: it then carries their
 * counters.
 */
function isKeptForItsCounters(oldest: StoredPosition | undefined): boolean {
  return oldest !== undefined && oldest.hidden !== null && oldest.row !== null
}
