import type { Accuracy } from '../../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../../base/domain/organization.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import {
  type FoldState,
  type Motion,
  type Silence,
  type SilenceCase,
  type Spot,
  silenceOf,
} from '../../../base/domain/position/fold-state.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'
import { isStillPace } from './trip-end.ts'

/*
 * This file finds readings that look like driving and are not: impossible speeds, the noise of a parked device,
 * and silences.
 */

/** km/h. A higher reading is an error value of a sensor, such as 255 mph. No vehicle is faster. */
export const MAX_SPEED_KMH = 250

/** The speed of a fix in km/h, or null if it is missing or cannot be believed. */
export function believedSpeed({ speed }: Pick<Fix, 'speed'>): number | null {
  return speed !== null && speed <= MAX_SPEED_KMH ? speed : null
}

/*
 * A phone on a desk shows 8 km/h every now and then. So the speeds of a parked object count only once it is away
 * from its anchor, unless its ignition says that it is in use.
 */

/** A stationary receiver drifts within this distance, as in a street with tall buildings. */
export const DRIFT_M = 100
/** A fix away from the anchor confirms a doubted speed if it comes within this time. */
const DOUBT_MS = 5 * 60_000

/** Whether the speed of a believed fix counts as unknown, if no trip is under way. `isSlow`: whether it ends a slow leg. */
export function isSpeedDoubted(
  fix: Fix,
  { minimumMovingSpeed }: Accuracy,
  fromAnchor: number,
  isSlow: boolean,
): boolean {
  const speed = believedSpeed(fix)
  if (speed === null) return false
  if (isSlow && speed >= minimumMovingSpeed) return true
  return fix.ignition !== true && fromAnchor < DRIFT_M
}

/** The motion of a parked object. Some objects are stopped by their ignition alone. */
export function parkedMotion({ ignition }: Fix, { stopDetectionMethod }: Accuracy): Motion {
  if (ignition === true) return 'idle'
  return stopDetectionMethod === 'ignition' && ignition === null ? 'idle' : 'stopped'
}

/** Whether a believed fix that is away from the anchor confirms a speed that was doubted. */
export function confirmsSpeed({ doubtedAt }: FoldState, time: number): boolean {
  return doubtedAt !== null && time - doubtedAt <= DOUBT_MS
}

/**
 * Whether the newest fix that the history shows had a speed that was doubted, and that a fix at this time confirms. The
 * object drove over that place: buses turn in their terminals.
 */
export function isShownDoubted(fold: FoldState, time: number): boolean {
  return fold.shown.time === fold.doubtedAt && confirmsSpeed(fold, time)
}

/** `FoldState.doubtedAt` after a fix. */
export function doubtedAfter(
  fold: FoldState,
  fix: Fix,
  { minimumMovingSpeed }: Accuracy,
  isDoubted: boolean,
): number | null {
  if (isDoubted && fix.speed! >= minimumMovingSpeed) return fix.timeDevice
  return confirmsSpeed(fold, fix.timeDevice) ? fold.doubtedAt : null
}

/*
 * Silence is not driving: a tracker that loses power on the road says nothing about the night that follows. A silence
 * is a time between two consecutive believed fixes that is longer than `maximum_gap`.
 */

/** Two fixes this near each other are at the same place: the drift of a receiver. */
const SAME_PLACE_M = 100
/** Trackers sleep when parked, and some wake only after a while of driving. */
export const NEAR_M = 1_000
/** Vehicles enter garages at less than this. */
const GARAGE_SPEED_KMH = 40

/** The silences that a believed fix ends. */
type Silences = {
  /** Whether there was one between the believed fix before and this one. */
  readonly isSilent: boolean
  /** Whether there was one before the suspect fix that this one confirms. */
  readonly isConfirmedSilent: boolean
}

const NO_SILENCES: Silences = { isSilent: false, isConfirmedSilent: false }

/** The time beyond which a gap is a silence, in milliseconds. */
export function silenceLimit({ maximumGap }: Accuracy): number {
  return (maximumGap ?? ORGANIZATION_DEFAULTS.maximumGap) * MINUTE_MS
}

/** `last`: the believed fix before `here`, which may be the suspect one of `fold`. */
export function silencesBefore(
  fold: FoldState,
  accuracy: Accuracy,
  last: Spot,
  here: Spot,
): Silences {
  const limit = silenceLimit(accuracy)
  // Nearly all fixes end here.
  if (here.time - fold.last.time <= limit) return NO_SILENCES
  return {
    isSilent: here.time - last.time > limit,
    // Only two fixes confirm such a group, so its newest one is its first.
    isConfirmedSilent:
      last === fold.suspect && fold.group === null && last.time - fold.last.time > limit,
  }
}

/** The leg to a fix from the believed one before it. */
type Leg = {
  readonly last: Spot
  readonly lastSpeed: number | null
  readonly fromLast: number
  /** The time of the fix. */
  readonly time: number
  readonly isSlow: boolean
}

/**
 * Decides how the silences before a fix count, or the slow leg to it. `moves`: whether the object moves at this fix.
 */
export function decideSilence(
  fold: FoldState,
  { isSilent, isConfirmedSilent }: Silences,
  leg: Leg,
  moves: boolean,
): Silence | null {
  // An object that stood before a slow leg has shown it.
  const isStop = leg.isSlow && fold.motion === 'moving'
  const before = isSilent ? caseOf(fold, leg, moves) : isStop ? 'slow leg' : null
  return silenceOf(before, leg.last === fold.suspect, isConfirmedSilent)
}

function caseOf({ motion }: FoldState, leg: Leg, moves: boolean): SilenceCase {
  const { last, fromLast, lastSpeed, time } = leg
  if (fromLast <= SAME_PLACE_M) return 'same place'
  if (!moves || fromLast > NEAR_M) return 'trip'
  // On the ramp of a garage, unlike on a motorway, the last fix is slow.
  const hasEntered =
    isStillPace(fromLast, time - last.time) && lastSpeed !== null && lastSpeed < GARAGE_SPEED_KMH
  return motion !== 'moving' || hasEntered ? 'left from near' : 'trip'
}
