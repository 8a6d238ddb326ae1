import { DECIMALS, rounded } from '../api/encode/decimal.ts'
import { measure } from '../api/encode/object.ts'
import { hundredthOf, hundredths } from '../api/encode/unit.ts'
import type { Fix } from '../domain/fix.ts'
import type { DistanceUnit } from '../domain/organization.ts'
import { formatInstant } from '../domain/time.ts'
import type { Motion, Objection, Track, Tracking } from '../domain/track.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import type { TrackPoint } from './documentation/schemas.ts'

/** A shorter stop is a traffic light. */
const SHORTEST_STOP_MS = 2 * 60_000
/** In a longer gap between fixes nobody knows what happened. */
const LONGEST_GAP_MS = 10 * 60_000

type Stand = {
  from: number
  to: number | null
  motion: Motion
  latitude: number
  longitude: number
}

/**
 * The totals of a range of fixes under an object's settings, by the rules that its counters follow: pass
 * all fixes in the order of their times, then ask. Starts without knowledge of earlier fixes.
 */
export type Drive = {
  /** Whether the history would show the fix. */
  add(fix: Fix): boolean
  readonly motion: Motion | null
  summary(unit: DistanceUnit): ReturnType<typeof summaryOf>
  readonly refused: ReadonlyMap<Objection, number>
  readonly accepted: number
}

export function openDrive(object: TrackedObject, tracking: Tracking): Drive {
  let track: Track | null = null
  let accepted = 0
  let shown = 0
  let firstOdometer = 0
  let movingMs = 0
  let idleMs = 0
  let stand: Stand | null = null
  const stops: Stand[] = []
  const refused = new Map<Objection, number>()

  function follow(fix: Fix, motion: Motion | null): void {
    if (motion === 'moving') {
      if (stand !== null) end(fix.timeDevice)
      return
    }
    if (motion === null) return
    if (stand === null) {
      const { timeDevice: from, latitude, longitude } = fix
      stand = { from, to: null, motion, latitude, longitude }
    } else if (motion === 'stopped') stand.motion = motion
  }

  function end(at: number): void {
    if (stand !== null && at - stand.from >= SHORTEST_STOP_MS) stops.push({ ...stand, to: at })
    stand = null
  }

  return {
    add(fix) {
      const objection = tracking.judge(object, fix)
      if (objection !== undefined) {
        refused.set(objection, (refused.get(objection) ?? 0) + 1)
        return false
      }
      const before = track
      const step = tracking.advance(before, object, fix)
      track = step.track
      accepted += 1
      if (before === null) firstOdometer = track.odometer ?? 0
      const gap = before === null ? 0 : fix.timeDevice - before.at
      if (gap <= LONGEST_GAP_MS && before?.motion === 'moving') movingMs += gap
      if (gap <= LONGEST_GAP_MS && before?.motion === 'idle') idleMs += gap
      follow(fix, track.motion)
      if (!step.hidden) shown += 1
      return !step.hidden
    },
    get motion() {
      return track?.motion ?? null
    },
    get accepted() {
      return accepted
    },
    refused,
    summary(unit) {
      const all = [...stops]
      const lasting = stand !== null && track !== null && track.at - stand.from >= SHORTEST_STOP_MS
      if (lasting) all.push(stand!)
      const distance = Math.max(0, (track?.odometer ?? 0) - firstOdometer)
      return summaryOf({ shown, distance, movingMs, idleMs, stops: all }, unit)
    },
  }
}

function summaryOf(
  drive: { shown: number; distance: number; movingMs: number; idleMs: number; stops: Stand[] },
  unit: DistanceUnit,
) {
  return {
    positions: drive.shown,
    distance: hundredths(drive.distance, hundredthOf(unit)) / 100,
    moving_seconds: Math.round(drive.movingMs / 1_000),
    idle_seconds: Math.round(drive.idleMs / 1_000),
    stops: drive.stops.map(({ from, to, motion, latitude, longitude }) => ({
      from: formatInstant(from),
      to: to === null ? null : formatInstant(to),
      motion,
      latitude: rounded(latitude, DECIMALS.coordinate),
      longitude: rounded(longitude, DECIMALS.coordinate),
    })),
  }
}

/** `odometer`: at this fix, in mm. */
export function pointOf(
  fix: Fix,
  motion: Motion | null,
  odometer: number | null,
  unit: DistanceUnit,
): TrackPoint {
  return [
    fix.timeDevice,
    rounded(fix.longitude, DECIMALS.coordinate)!,
    rounded(fix.latitude, DECIMALS.coordinate)!,
    measure(fix.speed, unit),
    rounded(fix.angle, DECIMALS.measure),
    motion,
    odometer === null ? null : hundredths(odometer, hundredthOf(unit)) / 100,
  ]
}
