import type { Fix } from '../../domain/fix.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import type { Track, Tracking } from '../../domain/track.ts'
import { heardFrom, LAST_TIME, later, newer, shifted, shownFix } from '../state-after.ts'
import type { AppendOutcome } from '../store.ts'
import type { CounterShifts } from './counter-shifts.ts'
import type { Database } from './database.ts'
import { type Aftermath, type Reach, refoldAfter } from './refold-after.ts'
import { refoldMarks } from './refold-marks.ts'
import { rejectRows } from './rejects.ts'
import {
  type Owned,
  type StoredPosition,
  type StoredPositions,
  storedPositions,
} from './stored-positions.ts'
import type { Tracked } from './tracked.ts'

/** Fifty positions written anew take a fifth of a millisecond. */
const REACH: Reach = { near: 50, far: 1_000, whole: false }

type Taken = { outcome: AppendOutcome; tracked: Tracked }

/** Takes fixes that are no newer than the newest of their object, each part of a transaction. */
export function lateFixes(database: Database, shifts: CounterShifts) {
  const positions = storedPositions(database.writer)
  const marks = refoldMarks(database.writer)
  const rejects = rejectRows(database.writer)

  return (
    organization: number,
    id: number,
    tracked: Tracked,
    fix: Fix,
    change: number,
    tracking: Tracking,
  ): Taken => {
    const owned: Owned = { organization, object: id, shifts: tracked.shifts }
    const state = heardFrom(tracked.state, fix.timeServer)
    const standing = positions.at(owned, fix.timeDevice)
    const order = standing === null ? 1 : tracking.prefer(fix, standing.fix)
    if (order <= 0) {
      const outcome = order === 0 ? 'duplicate' : 'conflict'
      return { outcome, tracked: { ...tracked, state } }
    }

    const before = positions.before(owned, fix.timeDevice)
    if (
      before === null &&
      isKeptForItsCounters(standing ?? positions.after(owned, fix.timeDevice, 1)[0])
    ) {
      rejects.add(organization, id, { reason: 'beyond_retention', timeServer: fix.timeServer, fix })
      return { outcome: { rejected: 'beyond_retention' }, tracked: { ...tracked, state } }
    }
    const from = before === null ? null : positions.trackAt(owned, before)
    const step = tracking.advance(from, tracked.object, fix)
    const writing: Owned = { ...owned, shifts: owned.shifts.before(fix.timeDevice) }
    if (standing === null) positions.insert(writing, fix, step, change)
    else positions.replace(writing, standing, fix, step, change)
    const aftermath = refoldAfter(positions, shifts, tracking, {
      owned,
      object: tracked.object,
      from: step.track,
      since: fix.timeDevice,
      replaced: standing === null ? null : fix.timeDevice,
      change,
      reach: REACH,
    })
    if (aftermath.unfinishedAfter !== null) {
      marks.set(organization, id, aftermath.unfinishedAfter)
    }
    aftermath.turned.push({ at: fix.timeDevice, is: step.track.motion })
    const now: Owned = { ...owned, shifts: aftermath.shifts }
    const after = stateAfter(positions, now, state, aftermath, standing, fix)
    return {
      outcome: standing === null ? 'accepted' : 'conflict',
      tracked: { ...tracked, shifts: aftermath.shifts, state: after },
    }
  }
}

/** An object's oldest is shown, unless retention has removed those before it, and their counters stand in it. */
function isKeptForItsCounters(oldest: StoredPosition | undefined): boolean {
  return oldest?.hidden === true && oldest.row !== null
}

/** The state of an object after positions behind its newest have changed. */
export function stateAfter(
  positions: StoredPositions,
  owned: Owned,
  state: ObjectState,
  aftermath: Aftermath,
  replaced: StoredPosition | null,
  come: Fix | null,
): ObjectState {
  const { track: reached, shift, turned } = aftermath
  const track = reached ?? (shift === null ? state.track! : shifted(state.track!, shift))
  return {
    ...state,
    ...lastTimes(positions, owned, state, turned),
    address: addressAfter(positions, owned, state, replaced, come),
    lastFix: lastFixAfter(positions, owned, state, track, replaced),
    track,
  }
}

function lastFixAfter(
  positions: StoredPositions,
  owned: Owned,
  { lastFix }: ObjectState,
  track: Track,
  replaced: StoredPosition | null,
): Fix | null {
  const { time } = track.shown
  const stands = lastFix?.timeDevice === time && replaced?.fix.timeDevice !== time
  return stands ? lastFix : shownFix(positions.at(owned, time)!.fix)
}

/** Where the last time of a motion was one that is none any more, the one before it is looked for. */
function lastTimes(
  positions: StoredPositions,
  owned: Owned,
  state: ObjectState,
  turned: Aftermath['turned'],
): Partial<ObjectState> {
  const times: { -readonly [Field in keyof ObjectState]?: number | null } = {}
  for (const motion of ['moving', 'idle', 'stopped'] as const) {
    const field = LAST_TIME[motion]
    const gone = turned.some(({ at, is }) => at === state[field] && is !== motion)
    if (gone) {
      times[field] = newest(positions.backwards(owned), ({ row }) => row?.motion === motion)
      continue
    }
    let time = state[field]
    for (const { at, is } of turned) if (is === motion) time = later(time, at)
    times[field] = time
  }
  return times as Partial<ObjectState>
}

function newest(
  backwards: Iterable<StoredPosition>,
  is: (position: StoredPosition) => boolean,
): number | null {
  for (const position of backwards) if (is(position)) return position.fix.timeDevice
  return null
}

function addressAfter(
  positions: StoredPositions,
  owned: Owned,
  { address }: ObjectState,
  replaced: StoredPosition | null,
  come: Fix | null,
): ObjectState['address'] {
  if (
    replaced !== null &&
    replaced.fix.address !== null &&
    address?.at === replaced.fix.timeDevice
  ) {
    for (const { fix } of positions.backwards(owned)) {
      if (fix.address !== null) return { value: fix.address, at: fix.timeDevice }
    }
    return null
  }
  if (come === null || come.address === null) return address
  return newer(address, { value: come.address, at: come.timeDevice })
}
