import type { Tracking } from '../../domain/track.ts'
import type { PositionStore, Refolded } from '../store.ts'
import { counterShifts } from './counter-shifts.ts'
import type { Database } from './database.ts'
import { stateAfter } from './late.ts'
import { type Aftermath, type Reach, refoldAfter } from './refold-after.ts'
import { type Mark, refoldMarks } from './refold-marks.ts'
import { type Owned, storedPositions } from './stored-positions.ts'
import type { Tracked, TrackedObjects } from './tracked.ts'

/** Positions of one transaction: a few milliseconds. */
const SLICE = 500
const REACH: Reach = { near: SLICE, far: SLICE, whole: true }

/** Folds anew what stands, in slices, between any two of which others may write. */
export function refolder(
  database: Database,
  tracked: TrackedObjects,
): Pick<PositionStore, 'refold' | 'requestRefold'> {
  const { reader, writer } = database
  const shifts = counterShifts(writer)
  const marks = refoldMarks(writer)
  const shownMarks = refoldMarks(reader)
  const positions = storedPositions(writer)

  /** Null where the object has no position. */
  function slice(mark: Mark, standing: Tracked, change: number, tracking: Tracking) {
    const { organization, object: id } = mark
    const owned: Owned = { organization, object: id, shifts: standing.shifts }
    const { object } = standing
    const from = positions.at(owned, mark.after) ?? positions.after(owned, mark.after, 1)[0]
    if (from === undefined) return null
    // One that is hidden without any before it carries the counters of those that retention removed.
    const isTaken = from.fix.timeDevice === mark.after || (from.hidden && from.row !== null)
    let track = isTaken ? positions.trackAt(owned, from) : null
    const turned: Aftermath['turned'] = []
    if (track === null) {
      const step = tracking.advance(null, object, from.fix)
      const writing = { ...owned, shifts: owned.shifts.before(from.fix.timeDevice) }
      positions.replace(writing, from, from.fix, step, change)
      track = step.track
      turned.push({ at: track.at, is: track.motion })
    }
    const aftermath = refoldAfter(positions, shifts, tracking, {
      owned,
      object,
      from: track,
      since: isTaken ? track.at + 1 : track.at,
      replaced: null,
      change,
      reach: REACH,
    })
    aftermath.turned.push(...turned)
    const now = { ...owned, shifts: aftermath.shifts }
    const state = stateAfter(positions, now, standing.state, aftermath, null, null)
    // The first of all is folded before those that follow it.
    return { aftermath, state, folded: aftermath.passed + turned.length }
  }

  function refoldOne(mark: Mark, change: number, tracking: Tracking) {
    const { organization, object: id } = mark
    const mine = tracked.of(organization)
    const standing = mine.find(id)
    const done = standing === null ? null : slice(mark, standing, change, tracking)
    const unfinishedAfter = done?.aftermath.unfinishedAfter ?? null
    if (unfinishedAfter === null) marks.remove(mark)
    else marks.move(mark, unfinishedAfter)
    const finished = unfinishedAfter === null
    const result: Refolded = {
      organization,
      object: id,
      positions: done?.folded ?? 0,
      finished,
    }
    if (standing === null || done === null) return { result, change: null }
    const now = { ...standing, state: done.state, shifts: done.aftermath.shifts }
    return { result, change: mine.save(new Map([[id, now]]), change) }
  }

  return {
    requestRefold: (scope) => database.write(() => marks.setAll(scope)),
    async refold(scope, tracking) {
      if (database.read(() => shownMarks.next(scope)) === null) return null
      return tracked.write((change) => {
        const mark = marks.next(scope)
        return mark === null ? { result: null, change: null } : refoldOne(mark, change, tracking)
      })
    },
  }
}
