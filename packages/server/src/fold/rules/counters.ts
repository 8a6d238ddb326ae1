import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { FIX_LIMITS, type Fix } from '../../domain/position/fix.ts'
import { HOUR_MS, MICRO, scaled } from '../../domain/position/fix-record.ts'
import type { Counters, FoldState } from '../../domain/position/fold-state.ts'

/*
 * The counters that an object's fixes add up to. Whole numbers throughout, mm and ms, so that a sum
 * does not depend on how it was built.
 */

/** A longer gap between fixes adds no engine hours: nobody knows whether the engine ran. */
const MAX_GAP_MS = 10 * 60_000
/** A smaller drop of a device's counter is noise. A larger one means that the counter was reset. */
const ODOMETER_NOISE_MM = 1_000_000
const ENGINE_HOURS_NOISE_MS = 360_000

/** A larger growth at once means another counter: no vehicle drives that far between two packets. */
const ODOMETER_LEAP_MM = 10_000_000_000
const ENGINE_HOURS_LEAP_MS = 10_000 * HOUR_MS
/** The largest counters that a record can hold. */
const MAX_ODOMETER_MM = FIX_LIMITS.odometer * MICRO
const MAX_ENGINE_HOURS_MS = FIX_LIMITS.engineHours * HOUR_MS

/**
 * A device's own counters as last believed, and what they gained with this fix. A gain is null if the fix
 * has no counter.
 */
export type Readings = {
  odometer: number | null
  engineHours: number | null
  odometerGain: number | null
  engineHoursGain: number | null
}

/**
 * Follows a device's own counters.
 *
 * A drop of 1 km, or of 6 minutes, means that the counter was reset or the device was replaced: we add
 * what it counts from there on and take nothing back. A smaller drop is noise: we add nothing until the
 * counter is back where it was. A 0 is noise too, because devices send it when they do not know; a
 * counter that really was reset soon grows. A leap of 10,000 km, or of 10,000 hours, means another
 * counter.
 */
export function followReadings(fold: FoldState, fix: Fix): Readings {
  const { odometerReading: odometer, engineHoursReading: engineHours } = fold
  const km = toWhole(fix.odometer, MICRO)
  const hours = toWhole(fix.engineHours, HOUR_MS)
  return {
    odometer: followed(odometer, km, ODOMETER_NOISE_MM),
    engineHours: followed(engineHours, hours, ENGINE_HOURS_NOISE_MS),
    odometerGain: gain(odometer, km, ODOMETER_LEAP_MM),
    engineHoursGain: gain(engineHours, hours, ENGINE_HOURS_LEAP_MS),
  }
}

function toWhole(value: number | null, scale: number): number | null {
  return value === null ? null : scaled(value, scale)
}

function followed(believed: number | null, reading: number | null, noise: number): number | null {
  if (reading === null || believed === null) return reading ?? believed
  const wasReset = reading > 0 && believed - reading >= noise
  return reading >= believed || wasReset ? reading : believed
}

function gain(believed: number | null, reading: number | null, leap: number): number | null {
  if (reading === null) return null
  const grown = believed === null ? 0 : reading - believed
  // If the counter was 0 so far, the device did not know it. The first value is its own, however large.
  const isOwn = grown < leap || believed === 0
  return grown > 0 && isOwn ? grown : 0
}

/** The counters at an object's first fix. */
export function startCounters(
  object: MonitoredObject,
  fix: Fix,
): Counters & Pick<FoldState, 'odometerReading' | 'engineHoursReading'> {
  const odometerReading = toWhole(fix.odometer, MICRO)
  const engineHoursReading = toWhole(fix.engineHours, HOUR_MS)
  const odometer = startOdometer(object, odometerReading)
  return {
    odometer,
    mileage: odometer === null ? null : 0,
    engineHours: startEngineHours(object, engineHoursReading),
    odometerReading,
    engineHoursReading,
  }
}

function startOdometer(object: MonitoredObject, reading: number | null): number | null {
  if (object.odometerType === 'system') return scaled(object.odometer ?? 0, MICRO)
  if (reading === null) return null
  return Math.min(Math.max(0, reading + scaled(object.odometerOffset, MICRO)), MAX_ODOMETER_MM)
}

function startEngineHours(object: MonitoredObject, reading: number | null): number | null {
  return object.engineHoursType === 'system' ? scaled(object.engineHours ?? 0, HOUR_MS) : reading
}

/**
 * Adds a fix to the odometer and the mileage.
 *
 * `leg` is the distance in metres that this fix adds, or null if a later fix will add it. The `system`
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
  const odometerReading = isSensor || leg !== null ? readings.odometer : fold.odometerReading
  if (fold.odometer === null) {
    const odometer = startOdometer(object, readings.odometer)
    return { odometer, mileage: odometer === null ? null : 0, odometerReading }
  }
  const way = isSensor ? (readings.odometerGain ?? 0) : millimetres(fold, object, readings, leg)
  return {
    odometer: Math.min(fold.odometer + way, MAX_ODOMETER_MM),
    mileage: Math.min((startsTrip ? 0 : (fold.mileage ?? 0)) + way, MAX_ODOMETER_MM),
    odometerReading,
  }
}

function millimetres(
  fold: FoldState,
  { accuracy }: MonitoredObject,
  { odometerGain }: Readings,
  leg: number | null,
): number {
  if (leg === null || leg === 0) return 0
  if (accuracy.distanceSource !== 'odometer' || fold.odometerReading === null) {
    return Math.round(leg * 1000)
  }
  // If this fix has no counter, the next one that has brings the gain of both.
  return odometerGain ?? 0
}

/**
 * Adds a fix to the engine hours. `gap` is the time since the fix before, in ms. It counts if the engine
 * ran at that fix.
 */
export function countEngineHours(
  fold: FoldState,
  object: MonitoredObject,
  readings: Readings,
  gap: number,
): number | null {
  if (fold.engineHours === null) return startEngineHours(object, readings.engineHours)
  if (object.engineHoursType === 'sensor') {
    return Math.min(fold.engineHours + (readings.engineHoursGain ?? 0), MAX_ENGINE_HOURS_MS)
  }
  const run = fold.running && gap <= MAX_GAP_MS ? gap : 0
  return Math.min(fold.engineHours + run, MAX_ENGINE_HOURS_MS)
}
