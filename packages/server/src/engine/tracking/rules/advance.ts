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
import { judge, prefer } from './judge.ts'
import {
  believedSpeed,
  confirmsSpeed,
  DRIFT_M,
  decideSilence,
  doubtedAfter,
  isSpeedDoubted,
  parkedMotion,
  silencesBefore,
} from './not-driving.ts'
import { KMH_PER_M_PER_MS, measure, originAfter, type Reach, startAfter } from './reach.ts'
import { isRefuted, repeatsAt, seenThereAt } from './repeats.ts'
import { isSlowLeg, isTripUnderWay } from './trip-end.ts'
import { type Arrival, wayTo } from './way.ts'

/**
 * Advances an object's fold state by its next fix in the order of device times. `fold` is null for the first
 * fix. Pure: the same fold state and fix always give the same step.
 */
export function advance(fold: FoldState | null, object: MonitoredObject, sent: Fix): Step {
  const here: Spot = { time: sent.timeDevice, latitude: sent.latitude, longitude: sent.longitude }
  if (fold === null) return begin(object, sent, here)
  const reach = measure(fold, object.accuracy, here)
  const { isJump } = reach
  const arrival = arrivalAt(fold, object.accuracy, reach, sent, here)
  const { fix, repeats, readings, silence, motion, isMoving, isDoubted, isUnderWay } = arrival
  const way = wayTo(fold, object.accuracy, reach, arrival, here)
  const { hidden, advances } = way
  const endsSilentTrip = silence?.before === 'trip'
  // The time after a moving fix is movement, whatever the next one shows. The remaining distance of an earlier trip,
  // whose end no fix showed, does not begin another trip.
  const isActive =
    isMoving ||
    (!isJump && isUnderWay && fold.motion === 'moving') ||
    (way.isLeg && (arrival.hasGone || isUnderWay))
  const startsTrip =
    (isActive && !isUnderWay) || endsSilentTrip || silence?.beforeConfirmed === true
  const counted = countOdometer(fold, object, readings, way.metres, startsTrip)
  // The distance of the silence belongs to the silent trip alone.
  const isNewTrip = endsSilentTrip && isActive && counted.mileage !== null
  return {
    hidden,
    fold: {
      at: here.time,
      last: isJump ? fold.last : here,
      lastSpeed: isJump ? fold.lastSpeed : sent.speed,
      before: isJump ? fold.before : reach.last,
      repeats,
      start: isJump ? fold.start : startAfter(fold, silence, reach.last, here),
      origin: isJump || !reach.joins ? fold.origin : originAfter(fold),
      anchor: advances ? here : reach.anchor,
      shown: hidden || isJump ? fold.shown : here,
      suspect: isJump ? here : null,
      suspectSpeed: isJump ? sent.speed : null,
      group: reach.group,
      joins: reach.joins,
      motion,
      moved: isMoving || (way.hasMoved && !advances && !isDoubted),
      parked: fix.ignition === false,
      // Without a speed, only a trip under way shows that the engine runs.
      running: fix.ignition ?? (motion === null ? fold.running && isUnderWay : runs(motion)),
      silence,
      // Nothing confirms the speed after a slow leg to another place.
      doubtedAt: isActive
        ? null
        : doubtedAfter(fold, fix, object.accuracy, isDoubted && !arrival.isAway),
      activeAt: isActive ? here.time : fold.activeAt,
      tripFrom: startsTrip ? here.time : fold.tripFrom,
      ...counted,
      mileage: isNewTrip ? 0 : counted.mileage,
      engineHours: countEngineHours(fold, object, readings, here.time - fold.at),
      engineHoursReading: readings.engineHours?.reading ?? fold.engineHoursReading,
    },
  }
}

function arrivalAt(
  fold: FoldState,
  accuracy: Accuracy,
  { isJump, last, fromLast, fromAnchor }: Reach,
  sent: Fix,
  here: Spot,
): Arrival {
  const lastSpeed = last === fold.suspect ? fold.suspectSpeed : fold.lastSpeed
  const repeats = isJump ? fold.repeats : repeatsAt(fold, last, lastSpeed, sent, accuracy)
  const fix = !isJump && isRefuted(repeats, here.time) ? { ...sent, speed: null } : sent
  const readings = followReadings(fold, fix)
  // If the place is in doubt, so is the speed.
  if (isJump) {
    const isUnderWay = isTripUnderWay(fold, here.time)
    return { ...UNKNOWN, fix, repeats, readings, isUnderWay, motion: fold.motion }
  }
  const silences = silencesBefore(fold, accuracy, last, here)
  const { isSilent, isConfirmedSilent } = silences
  const gain = (readings.odometer?.gain ?? 0) / 1_000
  const isSlow = !isSilent && isSlowLeg(fromLast, gain, here.time - last.time)
  const isUnderWay = !isSlow && !isSilent && !isConfirmedSilent && isTripUnderWay(fold, here.time)
  const isAway = fromAnchor >= DRIFT_M
  const leftAt = last === fold.last ? seenThereAt(fold) : last.time
  const pace = (fromLast / (here.time - leftAt)) * KMH_PER_M_PER_MS
  const travelled = isAway && !isSlow && pace >= accuracy.minimumMovingSpeed
  const isDoubted = !isUnderWay && isSpeedDoubted(fix, accuracy, fromAnchor, isSlow)
  // A silence does not show when the object traveled.
  const motion = believedMotion(fix, accuracy, isDoubted, travelled && !isSilent)
  const isMoving = motion === 'moving'
  // Nearly all fixes end neither.
  const silence =
    isSlow || isSilent || isConfirmedSilent
      ? decideSilence(
          fold,
          silences,
          { last, fromLast, lastSpeed, time: here.time, isSlow },
          isMoving,
        )
      : null
  return {
    fix,
    repeats,
    readings,
    silence,
    motion,
    isMoving,
    isDoubted,
    isUnderWay,
    isAway,
    hasGone: travelled || (isAway && !isUnderWay && confirmsSpeed(fold, here.time)),
    hasStood: isSlow || (isSilent && silence?.before !== 'trip'),
  }
}

/** The arrival of a fix that is not believed. */
const UNKNOWN = {
  silence: null,
  isMoving: false,
  isDoubted: false,
  isAway: false,
  hasGone: false,
  hasStood: false,
} as const

function begin(object: MonitoredObject, fix: Fix, here: Spot): Step {
  const motion = motionOf(fix, object.accuracy, false)
  const isMoving = motion === 'moving'
  return {
    hidden: false,
    fold: {
      at: here.time,
      last: here,
      lastSpeed: fix.speed,
      before: null,
      repeats: null,
      start: here,
      origin: null,
      anchor: here,
      shown: here,
      suspect: null,
      suspectSpeed: null,
      group: null,
      joins: false,
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
 * since the previous fix. Null if unknown.
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
export const RULES_VERSION = 2

/** The rules by which packets become positions. */
export function foldRules(clock: Clock): FoldRules {
  return {
    version: RULES_VERSION,
    judge: (object, fix) => judge(object, fix, clock.now()),
    advance,
    prefer,
  }
}
