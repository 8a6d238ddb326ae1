import type { Fix } from '../../domain/fix.ts'
import type { Counters, Motion, Step, Track, Tracking } from '../../domain/track.ts'
import { packTrack } from '../../domain/track-record.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import { type ObjectShifts, objectShifts, type Shift } from './object-shifts.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Tables } from './tables.ts'
import type { Work } from './work.ts'

/** The result of folding the positions after a changed one. */
export type Aftermath = {
  shifts: ObjectShifts
  /** The track at the newest position, if the fold got there. Null: only `shift` changes that track. */
  track: Track | null
  /** Applies from its time on. `mileage` is for the trip under way at that time. */
  shift: (Shift & { mileage: number }) | null
  /** Positions whose motion changed or had never been worked out. */
  turned: { at: number; is: Motion | null }[]
  /** The time after which to continue, if the fold stopped because too much changes at once. */
  unfinishedAfter: number | null
  /** Number of positions read. */
  passed: number
}

export type Reach = {
  /** The fold rewrites this many positions even if a shift would do, so that shifts stay far apart. */
  near: number
  /** The fold stops after this many positions and continues later. */
  far: number
  /** Whether to go on to the newest position, because later positions may change on their own. */
  whole: boolean
}

/** Positions per read. Most folds settle at the first or second position, so the first read is small. */
const FIRST_CHUNK = 4
const CHUNK = 64

/** The change, and how far to fold. */
export type Refold = {
  owned: Owned
  object: TrackedObject
  /** The track at the changed position. */
  from: Track
  /** Shifts that begin at or after this time move behind the rewritten positions. */
  since: number
  /** The time of a position whose fix was replaced. */
  replaced: number | null
  change: number
  reach: Reach
}

/**
 * Folds on from a changed position and rewrites each position that comes out differently. Ends when the
 * fold differs from the stored one only by the same amount in all later counters: that amount becomes a
 * shift.
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

  /**
   * The amount by which the mileage must change for the shift to be right, if shifts move as in `end`.
   */
  function tripShift({ timeDevice }: Fix, { track: { tripFrom } }: Step, odometer: number): number {
    if (tripFrom === null) return odometer
    if (tripFrom === timeDevice) return 0
    const overtaken = owned.shifts.all.filter(({ from }) => from >= since && from <= tripFrom)
    return overtaken.reduce((all, shift) => all + shift.odometer, odometer)
  }

  function rewrite(existing: StoredPosition, fix: Fix, step: Step): void {
    positions.replace(writing, existing, fix, step, change)
    const is = step.track.motion
    if (existing.row?.motion !== is) turned.push({ at: fix.timeDevice, is })
  }

  /** A shift that began inside the rewritten rows now begins at the first row after them. */
  function end(ending: Pick<Aftermath, 'track' | 'shift' | 'unfinishedAfter'>): Aftermath {
    const { all: existing } = owned.shifts
    const overtaken = existing.filter(({ from }) => from >= since && from <= lastTime)
    const { shift } = ending
    if (overtaken.length === 0 && (shift === null || isNothing(shift))) {
      return { ...ending, shifts: owned.shifts, turned, passed }
    }
    const ahead = existing.filter(({ from }) => from > lastTime)
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

/** Null if only one side knows a counter: no shift can make them equal. */
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
  // A track names its points by their times. One of these times may now have another fix.
  const pointed = [row.anchorAt, row.lastAt, row.shownAt]
  if (replaced !== null && pointed.includes(replaced)) return false
  return Buffer.compare(packTrack(step.track, fix), track) === 0
}
