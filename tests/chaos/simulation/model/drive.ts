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
  /** Meters. */
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
const MAXIMUM_GAP_MS = 60 * 60_000
const NEAR_METRES = 1_000
/** km/h: slower than this it has stood, and slower than that it may enter a garage. */
const STILL_SPEED = 1
const GARAGE_SPEED = 40
const LONGEST_GAP_MS = 10 * 60_000
const HOUR_MS = 3_600_000

/** All fixes of an object ordered by time, added up from the first to the last. */
export function driveThrough(fixes: readonly ModelFix[], settings: DriveSettings): Driven[] {
  const [first, ...others] = fixes
  if (first === undefined) return []
  const isSystem = settings.odometerType === 'system'
  const motion = motionOf(first)
  const state: DriveState = {
    anchor: first,
    shownAt: first,
    moved: motion === 'moving',
    activeAt: motion === 'moving' ? first.timeDevice : null,
    doubtedAt: null,
  }
  let odometer = isSystem ? (settings.odometer ?? 0) : first.odometer
  let mileage = 0
  let engineHours = settings.engineHours ?? 0
  const driven: Driven[] = [{ fix: first, shown: true, motion, odometer, mileage, engineHours }]
  for (const fix of others) {
    const before = driven.at(-1)!
    const leg = drive(state, before, fix, settings)
    const km = isSystem ? leg.km : fix.odometer - before.fix.odometer
    odometer += km
    mileage = leg.isNewTrip ? 0 : (leg.startsTrip ? 0 : mileage) + km
    const gap = fix.timeDevice - before.fix.timeDevice
    const ran = before.fix.ignition ?? before.motion !== 'stopped'
    if (ran && gap <= LONGEST_GAP_MS) engineHours += gap / HOUR_MS
    driven.push({ fix, shown: leg.shown, motion: leg.motion, odometer, mileage, engineHours })
  }
  return driven
}

/** The state that an object carries from fix to fix. */
type DriveState = {
  /** The last fix up to which the way was counted, and the last one that is shown. */
  anchor: ModelFix
  shownAt: ModelFix
  /** Whether it moved at the anchor or since. */
  moved: boolean
  /** When it was last under way, and when a speed of it was last doubted. */
  activeAt: number | null
  doubtedAt: number | null
}

type Leg = Pick<Driven, 'shown' | 'motion'> & {
  km: number
  startsTrip: boolean
  /** Whether it moves after a silent trip, which has the distance for itself. */
  isNewTrip: boolean
}

function drive(state: DriveState, before: Driven, fix: ModelFix, settings: DriveSettings): Leg {
  const gap = fix.timeDevice - before.fix.timeDevice
  const isSilent = gap > MAXIMUM_GAP_MS
  const isSince = (time: number | null) => time !== null && fix.timeDevice - time <= TRIP_END_MS
  const wasMoving = before.motion === 'moving'
  const isUnderWay = !isSilent && state.activeAt !== null && (wasMoving || isSince(state.activeAt))

  const isAway = reaches(state.anchor, fix, DRIFT_METRES)
  const travelled = isAway && reaches(before.fix, fix, (MOVING_SPEED * gap) / 3_600)
  const isConfirmed = isSince(state.doubtedAt)
  const hasGone = travelled || (isAway && !isUnderWay && isConfirmed)
  const isDoubted = !isUnderWay && fix.ignition !== true && !isAway
  const motion = isDoubted ? 'stopped' : motionOf(fix)
  const isMoving = motion === 'moving'

  const shown = reaches(state.shownAt, fix, settings.minimumDifferencePoint)
  const isNear = !reaches(before.fix, fix, NEAR_METRES)
  const hasEntered =
    !reaches(before.fix, fix, (STILL_SPEED * gap) / 3_600) && before.fix.speed < GARAGE_SPEED
  const leftFromNear = isMoving && isNear && (!wasMoving || hasEntered)
  const isSilentTrip = isSilent && reaches(before.fix, fix, DRIFT_METRES) && !leftFromNear
  const hasStood = isSilent && !isSilentTrip
  const isOpen =
    !hasStood &&
    state.activeAt !== null &&
    (wasMoving || before.fix.timeDevice - state.activeAt <= TRIP_END_MS)
  const isLeft = state.moved && !isOpen && !hasGone && !reaches(state.anchor, fix, NEAR_METRES)
  const isKept = wasMoving ? hasStood : !isMoving && isLeft
  const skipsGarage = hasStood && isMoving
  const advances = isSilentTrip || skipsGarage || (!isKept && !isDoubted && shown)
  const stoodParked = before.fix.ignition === false && fix.ignition === false
  const isLeg =
    advances &&
    !isSilentTrip &&
    !hasStood &&
    (isMoving || (state.moved && isOpen) || (hasGone && !stoodParked))
  const isActive = isMoving || (isUnderWay && wasMoving) || (isLeg && (hasGone || isUnderWay))

  const isShownDoubted = state.shownAt.timeDevice === state.doubtedAt && isConfirmed
  const over = isShownDoubted && isAway && !isUnderWay ? state.shownAt : state.anchor
  const leg = isLeg ? flatDistance(state.anchor, over) + flatDistance(over, fix) : 0
  const isDrift = !isMoving && !wasMoving && isNear
  const km = (isSilentTrip && !isDrift ? flatDistance(before.fix, fix) : leg) / 1000
  state.moved = isMoving || (state.moved && !advances && !isDoubted)
  if (isActive) state.doubtedAt = null
  else if (isDoubted && fix.speed >= MOVING_SPEED) state.doubtedAt = fix.timeDevice
  else if (!isConfirmed) state.doubtedAt = null
  if (isActive) state.activeAt = fix.timeDevice
  if (advances) state.anchor = fix
  if (shown) state.shownAt = fix
  const startsTrip = (isActive && !isUnderWay) || isSilentTrip
  return { shown, motion, km, startsTrip, isNewTrip: isSilentTrip && isActive }
}

function motionOf({ speed, ignition }: ModelFix): Motion {
  if (speed >= MOVING_SPEED) return 'moving'
  if (ignition !== null) return ignition ? 'idle' : 'stopped'
  return speed > IDLE_SPEED ? 'idle' : 'stopped'
}
