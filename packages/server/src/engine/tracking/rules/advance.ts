import type { Accuracy, MonitoredObject } from '../../../base/domain/monitored-object.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import type {
  FoldRules,
  FoldState,
  Motion,
  Spot,
  Step,
} from '../../../base/domain/position/fold-state.ts'
import type { Clock } from '../../../base/domain/time/time.ts'
import { countEngineHours, countOdometer, followReadings, startCounters } from './counters.ts'
import { distanceMetres } from './geodesic.ts'
import { judge, prefer } from './judge.ts'
import {
  believedSpeed,
  confirmsSpeed,
  DRIFT_M,
  decideSilence,
  doubtedAfter,
  isShownDoubted,
  isSpeedDoubted,
  MAX_SPEED_KMH,
  NO_SILENCES,
  parkedMotion,
  silencesBefore,
} from './not-driving.ts'
import { isRefuted, repeatsAt, seenThereAt } from './repeats.ts'
import { isSlowLeg, isTripOver } from './trip-end.ts'

/** Beyond this distance we ask whether a vehicle could have got there in time. */
const JUMP_M = 200

/**
 * Advances an object's fold state by its next fix in the order of device times. `fold` is null for the first
 * fix. Pure: the same fold state and fix always give the same step.
 */
export function advance(fold: FoldState | null, object: MonitoredObject, sent: Fix): Step {
  const here: Spot = { time: sent.timeDevice, latitude: sent.latitude, longitude: sent.longitude }
  if (fold === null) return begin(object, sent, here)
  const { accuracy } = object

  const reach = measure(fold, here)
  const { isJump, last, anchor, fromLast, fromAnchor } = reach
  const lastSpeed = last === fold.suspect ? fold.suspectSpeed : fold.lastSpeed
  const repeats = isJump ? fold.repeats : repeatsAt(fold, last, lastSpeed, sent, accuracy)
  const fix = !isJump && isRefuted(repeats, here.time) ? { ...sent, speed: null } : sent
  const hidden = reach.fromShown < accuracy.minimumDifferencePoint
  const silences = isJump ? NO_SILENCES : silencesBefore(fold, accuracy, last, here)
  const { isSilent, isConfirmedSilent } = silences
  const readings = followReadings(fold, fix)
  const gain = (readings.odometer?.gain ?? 0) / 1_000
  const isSlow = !isJump && !isSilent && isSlowLeg(fromLast, gain, here.time - last.time)
  const isUnderWay = !isSlow && !isSilent && !isConfirmedSilent && isTripUnderWay(fold, here.time)
  const isAway = !isJump && fromAnchor >= DRIFT_M
  const leftAt = last === fold.last ? seenThereAt(fold) : last.time
  const pace = (fromLast / (here.time - leftAt)) * KMH_PER_M_PER_MS
  const travelled = isAway && !isSlow && pace >= accuracy.minimumMovingSpeed
  const hasGone = travelled || (isAway && !isUnderWay && confirmsSpeed(fold, here.time))
  const isDoubted = !isJump && !isUnderWay && isSpeedDoubted(fix, accuracy, fromAnchor, isSlow)
  // If the place is in doubt, so is the speed. A silence does not show when the object travelled.
  const motion = isJump
    ? fold.motion
    : believedMotion(fix, accuracy, isDoubted, travelled && !isSilent)
  const isMoving = !isJump && motion === 'moving'
  const isOff = fix.ignition === false

  const silence = decideSilence(
    fold,
    silences,
    isSlow,
    { last, fromLast, lastSpeed },
    isMoving,
    here.time,
  )
  const endsSilentTrip = silence?.before === 'trip'
  const hasStood = isSlow || (isSilent && !endsSilentTrip)
  // Nobody counts the way of a garage. Otherwise, if the object moved at an end of a leg in which it stood, the next
  // movement counts the way from the same anchor.
  const leavesGarage = hasStood && isSilent && isMoving
  const isKept = hasStood && !leavesGarage && (isMoving || fold.motion === 'moving')
  // Without a speed, a step within the drift decides nothing. The next fix is measured from the same anchor. The
  // distance of a silent trip belongs to that trip alone, so a fix that ends one counts even if it is hidden.
  const isDecided = !isDoubted && (isAway || believedSpeed(fix) !== null)
  const isEnd = endsSilentTrip || leavesGarage
  const advances = !isJump && !isKept && isDecided && (!hidden || isEnd)
  // What an ended trip left uncounted belongs to nothing.
  const hasMoved =
    fold.moved && !isConfirmedSilent && !hasStood && isTripUnderWay(fold, fold.last.time)
  const isLeg =
    advances && !hasStood && (hasMoved || isMoving || (hasGone && !(fold.parked && isOff)))
  const counts = advances && !leavesGarage
  const leg = isLeg ? legFrom(fold, reach, isAway && !isUnderWay, here) : counts ? 0 : null
  // The time after a moving fix is movement, whatever the next one shows. The remaining distance of an earlier trip,
  // whose end no fix showed, does not begin another trip.
  const isActive =
    isMoving ||
    (!isJump && isUnderWay && fold.motion === 'moving') ||
    (!isSilent && isLeg && (hasGone || isUnderWay))
  const startsTrip = (isActive && !isUnderWay) || endsSilentTrip || isConfirmedSilent
  const counted = countOdometer(fold, object, readings, leg, startsTrip)
  // The distance of the silence belongs to the silent trip alone.
  const isNewTrip = endsSilentTrip && isActive && counted.mileage !== null

  return {
    hidden,
    fold: {
      at: here.time,
      last: isJump ? last : here,
      lastSpeed: isJump ? fold.lastSpeed : sent.speed,
      repeats,
      anchor: advances ? here : anchor,
      shown: hidden || isJump ? fold.shown : here,
      suspect: isJump ? here : null,
      suspectSpeed: isJump ? sent.speed : null,
      motion,
      moved: isMoving || (hasMoved && !advances && !isDoubted),
      parked: isOff,
      // Without a speed, only a trip under way shows that the engine runs.
      running: fix.ignition ?? (motion === null ? fold.running && isUnderWay : runs(motion)),
      silence,
      doubtedAt: isActive ? null : doubtedAfter(fold, fix, accuracy, isDoubted),
      activeAt: isActive ? here.time : fold.activeAt,
      tripFrom: startsTrip ? here.time : fold.tripFrom,
      ...counted,
      mileage: isNewTrip ? 0 : counted.mileage,
      engineHours: countEngineHours(fold, object, readings, here.time - fold.at),
      engineHoursReading: readings.engineHours?.reading ?? fold.engineHoursReading,
    },
  }
}

/**
 * The fixes that a new one is measured from, and the distances from them in metres. `isJump`: no vehicle could have come
 * there from the last ones.
 */
type Reach = {
  isJump: boolean
  last: Spot
  anchor: Spot
  fromLast: number
  fromAnchor: number
  fromShown: number
}

function measure(fold: FoldState, here: Spot): Reach {
  const fromBelieved = metres(fold.last, here)
  const start = plausibleStart(fold, here, fromBelieved)
  const isJump = start === null
  const last = start ?? fold.last
  // If this fix confirms the suspect one, distance counts from the suspect one on.
  const anchor = last === fold.suspect ? last : fold.anchor
  const fromLast = last === fold.last ? fromBelieved : metres(last, here)
  const fromAnchor = anchor === last ? fromLast : metres(anchor, here)
  const fromShown = fold.shown === last ? fromLast : metres(fold.shown, here)
  return { isJump, last, anchor, fromLast, fromAnchor, fromShown }
}

/**
 * The metres from the anchor. A fix away from it that begins a trip may confirm a doubted speed: the object then drove over the
 * place of that speed.
 */
function legFrom(
  fold: FoldState,
  { anchor, fromAnchor, fromShown }: Reach,
  mayConfirm: boolean,
  here: Spot,
): number {
  const isOverDoubted = mayConfirm && anchor === fold.anchor && isShownDoubted(fold, here.time)
  return isOverDoubted ? metres(anchor, fold.shown) + fromShown : fromAnchor
}

/** Whether a trip is still under way at a fix at this time. */
function isTripUnderWay({ activeAt, motion }: FoldState, time: number): boolean {
  return activeAt !== null && !isTripOver(activeAt, motion !== 'moving', time)
}

/** km/h in one metre per millisecond. */
const KMH_PER_M_PER_MS = 3_600

function begin(object: MonitoredObject, fix: Fix, here: Spot): Step {
  const motion = motionOf(fix, object.accuracy, false)
  const isMoving = motion === 'moving'
  return {
    hidden: false,
    fold: {
      at: here.time,
      last: here,
      lastSpeed: fix.speed,
      repeats: null,
      anchor: here,
      shown: here,
      suspect: null,
      suspectSpeed: null,
      motion,
      moved: isMoving,
      parked: fix.ignition === false,
      running: fix.ignition ?? runs(motion),
      silence: null,
      doubtedAt: null,
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
function plausibleStart(fold: FoldState, here: Spot, fromLast: number): Spot | null {
  const { last, suspect } = fold
  if (isWithinReach(here.time - seenThereAt(fold), fromLast)) return last
  if (suspect === null) return null
  return isWithinReach(here.time - suspect.time, metres(suspect, here)) ? suspect : null
}

function isWithinReach(ms: number, far: number): boolean {
  return far <= JUMP_M || (far / ms) * KMH_PER_M_PER_MS <= MAX_SPEED_KMH
}

function metres(from: Spot, to: Spot): number {
  return distanceMetres(from.latitude, from.longitude, to.latitude, to.longitude)
}

/** The motion at a believed fix. `isDoubted`: its speed counts as unknown. */
function believedMotion(
  fix: Fix,
  accuracy: Accuracy,
  isDoubted: boolean,
  travelled: boolean,
): Motion | null {
  return isDoubted ? parkedMotion(fix, accuracy) : motionOf(fix, accuracy, travelled)
}

/**
 * How an object was moving at a fix.
 *
 * At or above `minimum_moving_speed` it moves. Below, it is idle if the ignition is on, and stopped if it is off. If
 * the ignition is unknown, a speed above `idle_speed_threshold` is idle. With the stop detection method `ignition`,
 * only an ignition that is off stops it. If the speed is unknown, `travelled` says whether the object clearly moved
 * since the fix before. Null if unknown.
 */
export function motionOf(fix: Fix, accuracy: Accuracy, travelled: boolean): Motion | null {
  const { ignition } = fix
  const speed = believedSpeed(fix)
  if (speed !== null && speed >= accuracy.minimumMovingSpeed) return 'moving'
  if (ignition === false) return 'stopped'
  if (speed === null && travelled) return 'moving'
  if (ignition === true) return 'idle'
  if (speed === null) return null
  if (accuracy.stopDetectionMethod === 'ignition') return 'idle'
  return speed > accuracy.idleSpeedThreshold ? 'idle' : 'stopped'
}

/** Raise it with each change of the rules after which stored positions fold differently. */
export const RULES_VERSION = 1

/** The rules by which packets become positions. */
export function foldRules(clock: Clock): FoldRules {
  return {
    version: RULES_VERSION,
    judge: (object, fix) => judge(object, fix, clock.now()),
    advance,
    prefer,
  }
}
