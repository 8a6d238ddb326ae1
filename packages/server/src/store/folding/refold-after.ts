import type { Fix } from '../../domain/fix.ts'
import type { Counters, Motion, Step, Track, Tracking } from '../../domain/track.ts'
import { packTrack } from '../../domain/track-record.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import { type ObjectShifts, objectShifts, type Shift } from './object-shifts.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Tables } from './tables.ts'
import type { Work } from './work.ts'

/** What becomes of the positions behind one that has changed. */
export type Aftermath = {
  shifts: ObjectShifts
  /** The track as of the newest position, where it was reached; null: `shift` is all that changes there. */
  track: Track | null
  /** From its time on; the mileage in the trip that is under way then. */
  shift: (Shift & { mileage: number }) | null
  /** Positions whose motion is another now, or was never told. */
  turned: { at: number; is: Motion | null }[]
  /** Where it was given up for now, because too much changes: the time after which to go on. */
  unfinishedAfter: number | null
  /** How many positions were looked at. */
  passed: number
}

export type Reach = {
  /** Positions that are written anew although a shift would do, so that shifts stay far apart. */
  near: number
  /** Positions after which it is left to be gone on with. */
  far: number
  /** Whether to go on to the newest position, since later ones may come out otherwise by themselves. */
  whole: boolean
}

/** Positions that are read at once: mostly the fold is what it was at the first or second. */
const FIRST_CHUNK = 4
const CHUNK = 64

/** What has changed, and how far to go. */
export type Refold = {
  owned: Owned
  object: TrackedObject
  /** As of the position that has changed. */
  from: Track
  /** From when on shifts are moved behind what is written anew; that position itself where it was. */
  since: number
  /** The time of a position in whose place another fix stands now. */
  replaced: number | null
  change: number
  reach: Reach
}

/**
 * Folds on from a position that has changed, writing anew what comes out otherwise, until the fold is
 * what it was but for an amount that all later counters differ by: that becomes a shift.
 */
export function* refoldAfter(
  { positions, shifts }: Tables,
  tracking: Tracking,
  { owned, object, from, since, replaced, change, reach }: Refold,
): Work<Aftermath> {
  const writing: Owned = { ...owned, shifts: owned.shifts.before(since) }
  const turned: Aftermath['turned'] = []
  let track = from
  let passed = 0
  let lastTime = from.at

  for (let size = FIRST_CHUNK; ; size = CHUNK) {
    const chunk = yield* positions.after(owned, lastTime, size)
    for (const position of chunk) {
      const time = position.fix.timeDevice
      const step = tracking.advance(track, object, position.fix)
      const by = difference(step.track, position.counters)
      const isSettled =
        by !== null &&
        isSameFold(position, step, replaced) &&
        by.mileage === tripShift(position.fix, step, by.odometer)
      const isShifted = by !== null && (by.odometer !== 0 || by.engineHours !== 0)
      const hasShift = owned.shifts.all.some((shift) => shift.from === time)
      if (isSettled && !reach.whole && (!isShifted || hasShift || passed >= reach.near)) {
        return end({ track: null, shift: { from: time, ...by }, unfinishedAfter: null })
      }
      if (passed >= reach.far) {
        const shift = { from: time, ...(by ?? { odometer: 0, engineHours: 0, mileage: 0 }) }
        return end({ track: null, shift, unfinishedAfter: lastTime })
      }
      rewrite(position, position.fix, step)
      track = step.track
      lastTime = time
      passed += 1
    }
    if (chunk.length < size) return end({ track, shift: null, unfinishedAfter: null })
  }

  /** What its mileage has to change by for the shift to come out right, if shifts are moved as `end` does. */
  function tripShift({ timeDevice }: Fix, { track: { tripFrom } }: Step, odometer: number): number {
    if (tripFrom === null) return odometer
    if (tripFrom === timeDevice) return 0
    const overtaken = owned.shifts.all.filter(({ from }) => from >= since && from <= tripFrom)
    return overtaken.reduce((all, shift) => all + shift.odometer, odometer)
  }

  function rewrite(standing: StoredPosition, fix: Fix, step: Step): void {
    positions.replace(writing, standing, fix, step, change)
    const is = step.track.motion
    if (standing.row?.motion !== is) turned.push({ at: fix.timeDevice, is })
  }

  /** What applied from one of the positions written anew on applies from the first one that was not. */
  function end(ending: Pick<Aftermath, 'track' | 'shift' | 'unfinishedAfter'>): Aftermath {
    const { all: standing } = owned.shifts
    const overtaken = standing.filter(({ from }) => from >= since && from <= lastTime)
    const { shift } = ending
    if (overtaken.length === 0 && (shift === null || isNothing(shift))) {
      return { ...ending, shifts: owned.shifts, turned, passed }
    }
    const ahead = standing.filter(({ from }) => from > lastTime)
    const all = shift === null ? ahead : added(ahead, overtaken.reduce(sum, shift))
    const later = all.filter((each) => !isNothing(each))
    shifts.replaceSince(owned, since, later)
    return { ...ending, shifts: objectShifts([...writing.shifts.all, ...later]), turned, passed }
  }
}

function sum(shift: Shift, other: Shift): Shift {
  return {
    from: shift.from,
    odometer: shift.odometer + other.odometer,
    engineHours: shift.engineHours + other.engineHours,
  }
}

function isNothing({ odometer, engineHours }: Shift): boolean {
  return odometer === 0 && engineHours === 0
}

function added(shifts: readonly Shift[], shift: Shift): Shift[] {
  const same = shifts.find(({ from }) => from === shift.from)
  if (same === undefined) return [shift, ...shifts]
  return shifts.map((other) => (other === same ? sum(same, shift) : other))
}

/** Null where a counter is known on one side alone: then no shift makes them equal. */
function difference(
  track: Track,
  counters: Counters,
): { odometer: number; engineHours: number; mileage: number } | null {
  const odometer = minus(track.odometer, counters.odometer)
  const engineHours = minus(track.engineHours, counters.engineHours)
  const mileage = minus(track.mileage, counters.mileage)
  if (odometer === null || engineHours === null || mileage === null) return null
  return { odometer, engineHours, mileage }
}

function minus(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a === b ? 0 : null
  return a - b
}

function isSameFold(position: StoredPosition, step: Step, replaced: number | null): boolean {
  const { fix, row, track } = position
  if (row === null || track === null || (position.hidden !== null) !== step.hidden) return false
  // Its points are named by their times, at one of which something else stands now.
  const pointed = [row.anchorAt, row.lastAt, row.shownAt]
  if (replaced !== null && pointed.includes(replaced)) return false
  return Buffer.compare(packTrack(step.track, fix), track) === 0
}
