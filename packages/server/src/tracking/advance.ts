import type { Fix } from '../domain/fix.ts'
import type { Motion, Spot, Step, Track } from '../domain/track.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import { countEngineHours, countOdometer, followReadings, startCounters } from './counters.ts'
import { distanceMetres } from './geodesic.ts'
import { believedSpeed, FASTEST, motionOf } from './motion.ts'

/** Metres within which the receiver of an object that stands wanders, as far as in a street of high houses. */
const DRIFT = 100
/** Metres beyond which a fix is held against the speed that it would have taken to get there. */
const JUMP = 200
/** A trip ends when nothing has moved for so long. */
const TRIP_END_MS = 5 * 60_000

/**
 * What the next fix in the order of device times makes of an object's track; null: there is none
 * yet. Pure: with the track as of the fix before it, always the same.
 */
export function advance(track: Track | null, object: TrackedObject, fix: Fix): Step {
  const here: Spot = { time: fix.timeDevice, latitude: fix.latitude, longitude: fix.longitude }
  if (track === null) return begin(object, fix, here)
  const { accuracy } = object

  const fromTrack = metres(track.last, here)
  const believed = plausibleStart(track, here, fromTrack)
  const isJump = believed === null
  const last = believed ?? track.last
  // Where one that was in doubt is confirmed, distance is counted on from there.
  const anchor = last === track.suspect ? last : track.anchor
  const fromLast = last === track.last ? fromTrack : metres(last, here)
  const fromAnchor = anchor === last ? fromLast : metres(anchor, here)
  const fromShown = track.shown === last ? fromLast : metres(track.shown, here)

  const hidden = fromShown < accuracy.minimumDifferencePoint
  const pace = (fromLast / (here.time - last.time)) * KMH
  const travelled = !isJump && fromAnchor >= DRIFT && pace >= accuracy.minimumMovingSpeed
  // Where its place is in doubt its speed is too.
  const motion = isJump ? track.motion : motionOf(fix, accuracy, travelled)
  const isMoving = !isJump && motion === 'moving'
  const isOff = fix.ignition === false

  // Without a speed a step within the drift says nothing: the next ones are held against it too.
  const advances = !isJump && !hidden && (believedSpeed(fix) !== null || fromAnchor >= DRIFT)
  const isLeg = advances && (track.moved || isMoving || (travelled && !(track.parked && isOff)))
  const leg = isLeg ? fromAnchor : advances ? 0 : null
  const isTripOver = track.activeAt === null || here.time - track.activeAt > TRIP_END_MS
  // The last steps of a trip that nobody saw the end of are no other one.
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
      // Without a speed a trip under way is all that tells.
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
const KMH = 3_600

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
 * From where the object can have come: the last fix that was believed, or the one after it that was
 * not, where this one bears it out. Null where neither could be reached from, at the speed of a
 * vehicle.
 */
function plausibleStart({ last, suspect }: Track, here: Spot, fromLast: number): Spot | null {
  if (isWithinReach(last, here, fromLast)) return last
  if (suspect === null) return null
  return isWithinReach(suspect, here, metres(suspect, here)) ? suspect : null
}

function isWithinReach(from: Spot, to: Spot, far: number): boolean {
  return far <= JUMP || (far / (to.time - from.time)) * KMH <= FASTEST
}

function metres(from: Spot, to: Spot): number {
  return distanceMetres(from.latitude, from.longitude, to.latitude, to.longitude)
}
