import { flatDistance, reaches } from './distance.ts'

/** A packet as its tracker sent it. It always has a speed, and its place is within reach of the previous one. */
export type ModelFix = {
  timeDevice: number
  /** The time of its arrival at the server. */
  timeServer: number
  latitude: number
  longitude: number
  altitude: number
  angle: number
  /** km/h. */
  speed: number
  hdop: number
  ignition: boolean | null
  /** The device's own counter, km. */
  odometer: number
  address: string | null
}

/** The settings of an object that affect its counters. */
export type DriveSettings = {
  /** Metres. */
  minimumDifferencePoint: number
  odometerType: 'system' | 'sensor'
  /** Initial value of the counter in km; hours. */
  odometer: number | null
  engineHours: number | null
}

export type Motion = 'moving' | 'idle' | 'stopped'

/** A fix with the counters of the object at it: km, km, hours. */
export type Driven = {
  fix: ModelFix
  shown: boolean
  motion: Motion
  odometer: number
  mileage: number
  engineHours: number
}

const MOVING_SPEED = 5
const IDLE_SPEED = 3
const DRIFT_METRES = 100
const TRIP_END_MS = 5 * 60_000
const LONGEST_GAP_MS = 10 * 60_000
const HOUR_MS = 3_600_000

/** All fixes of an object ordered by time, added up from the first to the last. */
export function driveThrough(fixes: readonly ModelFix[], settings: DriveSettings): Driven[] {
  const driven: Driven[] = []
  let reachedAt = fixes[0]
  let shownAt = fixes[0]
  let activeAt: number | null = null
  let mileage = 0
  let odometer = settings.odometerType === 'system' ? (settings.odometer ?? 0) : 0
  let engineHours = settings.engineHours ?? 0

  for (const [index, fix] of fixes.entries()) {
    const motion = motionOf(fix)
    const before = driven[index - 1]
    let shown = true
    let km = 0
    let startsTrip = motion === 'moving'
    if (before !== undefined) {
      const gap = fix.timeDevice - before.fix.timeDevice
      const way = flatDistance(reachedAt!, fix)
      shown = reaches(shownAt!, fix, settings.minimumDifferencePoint)
      const atMovingSpeed = (MOVING_SPEED * gap) / 3_600
      const travelled =
        reaches(reachedAt!, fix, DRIFT_METRES) && reaches(before.fix, fix, atMovingSpeed)
      const stoodParked = before.fix.ignition === false && fix.ignition === false
      const hasMoved = motion === 'moving' || movedSince(driven, reachedAt!)
      const counts = shown && (hasMoved || (travelled && !stoodParked))
      const isOver: boolean = activeAt === null || fix.timeDevice - activeAt > TRIP_END_MS
      const isActive = motion === 'moving' || (counts && (travelled || !isOver))
      startsTrip = isActive && isOver
      if (isActive) activeAt = fix.timeDevice
      if (settings.odometerType === 'system') km = counts ? way / 1000 : 0
      else km = fix.odometer - before.fix.odometer
      const ran = before.fix.ignition ?? before.motion !== 'stopped'
      if (ran && gap <= LONGEST_GAP_MS) engineHours += gap / HOUR_MS
    } else if (startsTrip) activeAt = fix.timeDevice
    if (shown) {
      shownAt = fix
      reachedAt = fix
    }
    odometer += km
    mileage = (startsTrip ? 0 : mileage) + km
    driven.push({
      fix,
      shown,
      motion,
      odometer: settings.odometerType === 'sensor' ? fix.odometer : odometer,
      mileage,
      engineHours,
    })
  }
  return driven
}

/** Whether it moved at the last counted fix, or at any fix since. */
function movedSince(driven: readonly Driven[], reached: ModelFix): boolean {
  const from = driven.findIndex(({ fix }) => fix === reached)
  return driven.slice(from).some(({ motion }) => motion === 'moving')
}

function motionOf({ speed, ignition }: ModelFix): Motion {
  if (speed >= MOVING_SPEED) return 'moving'
  if (ignition !== null) return ignition ? 'idle' : 'stopped'
  return speed > IDLE_SPEED ? 'idle' : 'stopped'
}
