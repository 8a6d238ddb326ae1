import type { Fix } from '../../domain/fix.ts'
import { asStored } from '../../domain/fix-record.ts'
import type { Tracking } from '../../domain/track.ts'
import { afterInOrder, heardFrom } from '../state-after.ts'
import type { AppendOutcome, NewFix, PositionStore } from '../store.ts'
import { counterShifts } from './counter-shifts.ts'
import type { Database } from './database.ts'
import { lateFixes } from './late.ts'
import { rejectRows } from './rejects.ts'
import { storedPositions } from './stored-positions.ts'
import type { Tracked, TrackedObjects } from './tracked.ts'

export function appender(database: Database, tracked: TrackedObjects): PositionStore['append'] {
  const { writer } = database
  const positions = storedPositions(writer)
  const late = lateFixes(database, counterShifts(writer))
  const rejects = rejectRows(writer)

  /** What of an object's packet stands from now on. */
  function take(
    organization: number,
    id: number,
    standing: Tracked,
    packet: Fix,
    change: number,
    tracking: Tracking,
  ): { outcome: AppendOutcome; tracked: Tracked } {
    const { object, state } = standing
    const objection = tracking.judge(object, packet)
    if (objection !== undefined) {
      rejects.add(organization, id, {
        reason: objection,
        timeServer: packet.timeServer,
        fix: packet,
      })
      const heard = { ...standing, state: heardFrom(state, packet.timeServer) }
      return { outcome: { rejected: objection }, tracked: heard }
    }
    const fix = asStored(packet)
    if (state.track !== null && fix.timeDevice <= state.track.at) {
      return late(organization, id, standing, fix, change, tracking)
    }
    const step = tracking.advance(state.track, object, fix)
    positions.insert({ organization, object: id, shifts: standing.shifts }, fix, step, change)
    return { outcome: 'accepted', tracked: { ...standing, state: afterInOrder(state, fix, step) } }
  }

  return (organization, batch, tracking) =>
    tracked.write((change) => {
      const mine = tracked.of(organization)
      const touched = new Map<number, Tracked>()
      const outcomes = new Array<AppendOutcome>(batch.length)
      for (const index of inOrder(batch)) {
        const { object, fix } = batch[index]!
        const standing = touched.get(object) ?? mine.find(object)
        if (standing === null) {
          outcomes[index] = 'unknown_object'
          continue
        }
        const taken = take(organization, object, standing, fix, change, tracking)
        outcomes[index] = taken.outcome
        if (taken.tracked.state !== standing.state) touched.set(object, taken.tracked)
      }
      return { result: outcomes, change: mine.save(touched, change) }
    })
}

/** Object by object, each in the order of its device times: then few fixes are late to each other. */
function inOrder(batch: readonly NewFix[]): number[] {
  const indexes = Array.from(batch.keys())
  const before = (a: NewFix, b: NewFix) =>
    a.object - b.object || a.fix.timeDevice - b.fix.timeDevice
  // Many a sender sends them so, and sorting would take as long as folding.
  if (indexes.every((i) => i === 0 || before(batch[i - 1]!, batch[i]!) <= 0)) return indexes
  return indexes.sort((i, j) => before(batch[i]!, batch[j]!) || i - j)
}
