import type { Fix } from '../domain/fix.ts'
import type { Motion, Spot, Step, Track } from '../domain/track.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import { countEngineHours, countOdometer, followReadings, startCounters } from './counters.ts'
import { distanceMetres } from './geodesic.ts'
import { believedSpeed, MAX_SPEED_KMH, motionOf } from './motion.ts'

/** A receiver that stands still wanders within this distance, as in a street with high houses. */
const DRIFT_M = 100
/** Beyond this distance we ask whether a vehicle could have got there in time. */
const JUMP_M = 200
/** A trip ends when the object has not moved for this long. */
const TRIP_END_MS = 5 * 60_000

/**
 * Advances an object's track by its next fix in the order of device times. `track` is null for the first
 * fix. Pure: the same track and fix always give the same step.
 */
export function advance(track: Track | null, object: TrackedObject, fix: Fix): Step {
  const here: Spot = { time: fix.timeDevice, latitude: fix.latitude, longitude: fix.longitude }
  if (track === null) return begin(object, fix, here)
  const { accuracy } = object

  const fromTrack = metres(track.last, here)
  const believed = plausibleStart(track, here, fromTrack)
  const isJump = believed === null
  const last = believed ?? track.last
  // If this fix confirms the suspect one, distance counts from the suspect one on.
  const anchor = last === track.suspect ? last : track.anchor
  const fromLast = last === track.last ? fromTrack : metres(last, here)
  const fromAnchor = anchor === last ? fromLast : metres(anchor, here)
  const fromShown = track.shown === last ? fromLast : metres(track.shown, here)

  const hidden = fromShown < accuracy.minimumDifferencePoint
  const pace = (fromLast / (here.time - last.time)) * KMH_PER_M_PER_MS
  const travelled = !isJump && fromAnchor >= DRIFT_M && pace >= accuracy.minimumMovingSpeed
  // If the place is in doubt, so is the speed.
  const motion = isJump ? track.motion : motionOf(fix, accuracy, travelled)
  const isMoving = !isJump && motion === 'moving'
  const isOff = fix.ignition === false

  // Without a speed, a step within the drift decides nothing. The next fix is measured from the same
  // anchor.
  const advances = !isJump && !hidden && (believedSpeed(fix) !== null || fromAnchor >= DRIFT_M)
  const isLeg = advances && (track.moved || isMoving || (travelled && !(track.parked && isOff)))
  const leg = isLeg ? fromAnchor : advances ? 0 : null
  const isTripOver = track.activeAt === null || here.time - track.activeAt > TRIP_END_MS
  // The last steps of a trip whose end no fix showed do not begin another trip.
  const isActive = isMoving || (isLeg && (travelled || !isTripOver))
  const startsTrip = isActive && isTripOver
  const readings = followReadings(track, fix)

  return {
    hidden,
    track: {
      at: here.time,
      last: isJump ? last : here,
      anchor: advances ? here : anchor,
      shown: hidden || isJump ? track.shown : here,
      suspect: isJump ? here : null,
      motion,
      moved: isMoving || (track.moved && !advances),
      parked: isOff,
      // Without a speed, only a trip under way tells whether the engine runs.
      running: fix.ignition ?? (motion === null ? track.running && !isTripOver : runs(motion)),
      activeAt: isActive ? here.time : track.activeAt,
      tripFrom: startsTrip ? here.time : track.tripFrom,
      ...countOdometer(track, object, readings, leg, startsTrip),
      engineHours: countEngineHours(track, object, readings, here.time - track.at),
      engineHoursReading: readings.engineHours,
    },
  }
}

/** km/h in one metre per millisecond. */
const KMH_PER_M_PER_MS = 3_600

function begin(object: TrackedObject, fix: Fix, here: Spot): Step {
  const motion = motionOf(fix, object.accuracy, false)
  const isMoving = motion === 'moving'
  return {
    hidden: false,
    track: {
      at: here.time,
      last: here,
      anchor: here,
      shown: here,
      suspect: null,
      motion,
      moved: isMoving,
      parked: fix.ignition === false,
      running: fix.ignition ?? runs(motion),
      activeAt: isMoving ? here.time : null,
      tripFrom: isMoving ? here.time : null,
      ...startCounters(object, fix),
    },
  }
}

function runs(motion: Motion | null): boolean {
  return motion === 'moving' || motion === 'idle'
}

/**
 * The fix from which the object can have come here at the speed of a vehicle: the last believed fix, or
 * else the suspect one after it. Null if neither.
 */
function plausibleStart({ last, suspect }: Track, here: Spot, fromLast: number): Spot | null {
  if (isWithinReach(last, here, fromLast)) return last
  if (suspect === null) return null
  return isWithinReach(suspect, here, metres(suspect, here)) ? suspect : null
}

function isWithinReach(from: Spot, to: Spot, far: number): boolean {
  return far <= JUMP_M || (far / (to.time - from.time)) * KMH_PER_M_PER_MS <= MAX_SPEED_KMH
}

function metres(from: Spot, to: Spot): number {
  return distanceMetres(from.latitude, from.longitude, to.latitude, to.longitude)
}
