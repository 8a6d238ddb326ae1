import type { MonitoredObject } from '../../../base/domain/monitored-object.ts'
import { FIX_LIMITS, type Fix } from '../../../base/domain/position/fix.ts'
import { MICRO, scaled } from '../../../base/domain/position/fix-record.ts'
import type {
  CounterReading,
  Counters,
  FoldState,
} from '../../../base/domain/position/fold-state.ts'
import { HOUR_MS } from '../../../base/domain/time/time.ts'

/*
 * The counters that an object's fixes add up to. Whole numbers throughout, mm and ms, so that a sum
 * does not depend on how it was built.
 */

/** A longer gap between fixes adds no engine hours: nobody knows whether the engine ran. */
const MAX_GAP_MS = 10 * 60_000
/** The largest counters that a record can hold. */
const MAX_ODOMETER_MM = FIX_LIMITS.odometer * MICRO
const MAX_ENGINE_HOURS_MS = FIX_LIMITS.engineHours * HOUR_MS

/** A device's own counters, as followed to this fix. Null: the fix has no such counter. */
export type Readings = { odometer: Followed | null; engineHours: Followed | null }

const NO_CHANGE = { gain: 0, isOwn: false }

/** Follows a device's own counters to a fix. `fold` is null for the first one. */
export function followReadings(fold: FoldState | null, fix: Fix): Readings {
  const { timeDevice: at, odometer, engineHours } = fix
  const follow = (
    reading: CounterReading | null,
    value: number | null,
    scale: number,
    pace: Pace,
  ) => (value === null ? null : followReading(reading, scaled(value, scale), at, pace))
  return {
    odometer: follow(fold?.odometerReading ?? null, odometer, MICRO, ODOMETER_PACE),
    engineHours: follow(fold?.engineHoursReading ?? null, engineHours, HOUR_MS, ENGINE_HOURS_PACE),
  }
}

/** The counters at an object's first fix. */
export function startCounters(
  object: MonitoredObject,
  fix: Fix,
): Counters & Pick<FoldState, 'odometerReading' | 'engineHoursReading'> {
  const readings = followReadings(null, fix)
  const odometer = startOdometer(object, readings)
  return {
    odometer,
    mileage: odometer === null ? null : 0,
    engineHours: startEngineHours(object, readings),
    odometerReading: readings.odometer?.reading ?? null,
    engineHoursReading: readings.engineHours?.reading ?? null,
  }
}

function startOdometer(object: MonitoredObject, { odometer }: Readings): number | null {
  if (object.odometerType === 'system') return scaled(object.odometer ?? 0, MICRO)
  if (odometer === null) return null
  const offset = scaled(object.odometerOffset, MICRO)
  return Math.min(Math.max(0, odometer.reading.value + offset), MAX_ODOMETER_MM)
}

function startEngineHours(object: MonitoredObject, { engineHours }: Readings): number | null {
  if (object.engineHoursType === 'system') return scaled(object.engineHours ?? 0, HOUR_MS)
  return engineHours === null ? null : engineHours.reading.value
}

/**
 * Adds a fix to the odometer and the mileage.
 *
 * `leg` is the distance in meters that this fix adds, or null if a later fix will add it. The `system`
 * odometer counts legs, or, with the distance source `odometer`, the gain of the device's counter over
 * the leg. The `sensor` odometer follows the device's counter whether the object moves or not. The
 * mileage is the distance since the trip began.
 */
export function countOdometer(
  fold: FoldState,
  object: MonitoredObject,
  readings: Readings,
  leg: number | null,
  startsTrip: boolean,
): Pick<FoldState, 'odometer' | 'mileage' | 'odometerReading'> {
  const isSensor = object.odometerType === 'sensor'
  const followed = isSensor || leg !== null ? readings.odometer : null
  const odometerReading = followed?.reading ?? fold.odometerReading
  if (fold.odometer === null) {
    const odometer = startOdometer(object, readings)
    return { odometer, mileage: odometer === null ? null : 0, odometerReading }
  }
  const way = isSensor ? (followed?.gain ?? 0) : millimetres(fold, object, readings, leg)
  // The first reading of a device is not a distance.
  const from = isSensor && followed?.isOwn === true ? startOdometer(object, readings)! : 0
  return {
    odometer: Math.max(from, Math.min(fold.odometer + way, MAX_ODOMETER_MM)),
    mileage: Math.min((startsTrip ? 0 : (fold.mileage ?? 0)) + way, MAX_ODOMETER_MM),
    odometerReading,
  }
}

function millimetres(
  fold: FoldState,
  { accuracy }: MonitoredObject,
  { odometer }: Readings,
  leg: number | null,
): number {
  if (leg === null || leg === 0) return 0
  if (accuracy.distanceSource !== 'odometer' || fold.odometerReading === null) {
    return Math.round(leg * 1000)
  }
  // If this fix has no counter, the next fix with a counter adds the gain of both.
  return odometer?.gain ?? 0
}

/**
 * Adds a fix to the engine hours. `gap` is the time since the previous fix, in ms. It counts if the
 * engine ran at that fix.
 */
export function countEngineHours(
  fold: FoldState,
  object: MonitoredObject,
  readings: Readings,
  gap: number,
): number | null {
  if (fold.engineHours === null) return startEngineHours(object, readings)
  if (object.engineHoursType === 'sensor') {
    const { gain, isOwn } = readings.engineHours ?? NO_CHANGE
    const from = isOwn ? startEngineHours(object, readings)! : 0
    return Math.max(from, Math.min(fold.engineHours + gain, MAX_ENGINE_HOURS_MS))
  }
  const run = fold.running && gap <= MAX_GAP_MS ? gap : 0
  return Math.min(fold.engineHours + run, MAX_ENGINE_HOURS_MS)
}

/** How a device's own counter grows. */
export type Pace = {
  /** Units in a millisecond, and one step in addition. */
  readonly perMs: number
  readonly step: number
  /** A device that lost its counter finds it again within this time, or never. */
  readonly restoredWithinMs: number
  /** Whether the rise from a doubted value to the one that confirms it counts. */
  readonly countsConfirmed: boolean
}

const OF_VEHICLE = { restoredWithinMs: 7 * 24 * HOUR_MS, countsConfirmed: false }
/** mm: 250 km/h and 1 km. */
export const ODOMETER_PACE: Pace = { ...OF_VEHICLE, perMs: (250 * MICRO) / HOUR_MS, step: MICRO }
/** ms: the time on the clock and six minutes. */
export const ENGINE_HOURS_PACE: Pace = { ...OF_VEHICLE, perMs: 1, step: 360_000 }

/** `gain`: what the counter counted. `isOwn`: whether its value is known for the first time. */
export type Followed = { reading: CounterReading; gain: number; isOwn: boolean }

/**
 * Follows a device's own counter to its next value, which was read `at` that time.
 *
 * A counter grows as fast as a vehicle drives, measured from when it last grew, because counters have steps. Any
 * other change is doubted: it may be an error value, or a device that counts from 0 while it starts. If the next
 * value follows from the doubted one, another counter counts: what it counts from there on is added. A value that
 * follows from the counter before a drop restores that counter, and adds what was not counted since, even if it follows
 * from the other one too.
 */
export function followReading(
  known: CounterReading | null,
  value: number,
  at: number,
  pace: Pace,
): Followed {
  if (known === null) return ownValue(value, at)
  const before =
    known.before !== null && at - known.before.droppedAt > pace.restoredWithinMs
      ? null
      : known.before

  // Readings that alternate between two values would gain from the lower one to the higher one each time.
  if (before !== null && isWithinReach(before.value, value, at - before.grewAt, pace)) {
    const gain = Math.max(0, value - before.value - before.counted)
    return followed(value, value > before.value ? at : before.grewAt, null, gain)
  }
  if (isWithinReach(known.value, value, at - known.grewAt, pace)) {
    const gain = value - known.value
    const counted = before === null ? null : { ...before, counted: before.counted + gain }
    return followed(value, gain > 0 ? at : known.grewAt, counted, gain)
  }
  // A device that does not know its counter sends 0.
  if (known.value === 0 && before === null) return ownValue(value, at)
  const { doubted } = known
  if (doubted !== null && isWithinReach(doubted.value, value, at - doubted.at, pace)) {
    const isDrop = doubted.value < known.value
    const lost = { value: known.value, grewAt: known.grewAt, droppedAt: doubted.at, counted: 0 }
    const gain = pace.countsConfirmed ? value - doubted.value : 0
    return followed(value, value > doubted.value ? at : doubted.at, isDrop ? lost : null, gain)
  }
  return { reading: { ...known, doubted: { value, at }, before }, gain: 0, isOwn: false }
}

/** The first reading of a device. */
function ownValue(value: number, grewAt: number): Followed {
  return { reading: { value, grewAt, doubted: null, before: null }, gain: 0, isOwn: true }
}

function followed(
  value: number,
  grewAt: number,
  before: CounterReading['before'],
  gain: number,
): Followed {
  return { reading: { value, grewAt, doubted: null, before }, gain, isOwn: false }
}

/** Whether a counter can have grown from one value to the other in this time. */
export function isWithinReach(
  from: number,
  to: number,
  ms: number,
  { perMs, step }: Pick<Pace, 'perMs' | 'step'>,
): boolean {
  return to >= from && to - from <= ms * perMs + step
}
