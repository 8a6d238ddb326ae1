import { FIX_LIMITS, type Fix } from '../domain/fix.ts'
import { HOUR_MS, MICRO, scaled } from '../domain/fix-record.ts'
import type { Counters, Track } from '../domain/track.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'

/*
 * The counters that an object's fixes add up to. Whole numbers throughout, mm and ms, so that a sum
 * does not depend on how it was built.
 */

/** A gap between fixes that is longer adds no engine hours: nobody knows what was in it. */
const LONGEST_GAP_MS = 10 * 60_000
/** A device's counter that drops by less has noise; one that drops by more begins anew. */
const ODOMETER_NOISE_MM = 1_000_000
const ENGINE_HOURS_NOISE_MS = 360_000

/** One that grows by more at once is another counter: no vehicle does that between two packets. */
const ODOMETER_LEAP_MM = 10_000_000_000
const ENGINE_HOURS_LEAP_MS = 10_000 * HOUR_MS
/** No counter goes beyond what a record can hold. */
const MOST_MM = FIX_LIMITS.odometer * MICRO
const MOST_MS = FIX_LIMITS.engineHours * HOUR_MS

/** A device's own counters as last believed, and what they gained with a fix; null where it told none. */
export type Readings = {
  odometer: number | null
  engineHours: number | null
  odometerGain: number | null
  engineHoursGain: number | null
}

/**
 * Follows a device's counters. Where one drops by a kilometre, or by six minutes, it was reset or
 * the device was changed: what it counts from there on is added, and nothing is taken back. Smaller
 * drops are noise: nothing is added until it is where it was. So is a 0, which a device also tells
 * that does not know; one that was reset soon tells more. A leap of 10,000 km, or hours, is another
 * counter too.
 */
export function followReadings(track: Track, fix: Fix): Readings {
  const { odometerReading: odometer, engineHoursReading: engineHours } = track
  const km = told(fix.odometer, MICRO)
  const hours = told(fix.engineHours, HOUR_MS)
  return {
    odometer: followed(odometer, km, ODOMETER_NOISE_MM),
    engineHours: followed(engineHours, hours, ENGINE_HOURS_NOISE_MS),
    odometerGain: gain(odometer, km, ODOMETER_LEAP_MM),
    engineHoursGain: gain(engineHours, hours, ENGINE_HOURS_LEAP_MS),
  }
}

function told(value: number | null, scale: number): number | null {
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
  // From 0, where all that came before did not know either, whatever it tells is its own.
  const isOwn = grown < leap || believed === 0
  return grown > 0 && isOwn ? grown : 0
}

/** The counters as of an object's first fix. */
export function startCounters(
  object: TrackedObject,
  fix: Fix,
): Counters & Pick<Track, 'odometerReading' | 'engineHoursReading'> {
  const odometerReading = told(fix.odometer, MICRO)
  const engineHoursReading = told(fix.engineHours, HOUR_MS)
  const odometer = startOdometer(object, odometerReading)
  return {
    odometer,
    mileage: odometer === null ? null : 0,
    engineHours: startEngineHours(object, engineHoursReading),
    odometerReading,
    engineHoursReading,
  }
}

function startOdometer(object: TrackedObject, reading: number | null): number | null {
  if (object.odometerType === 'system') return scaled(object.odometer ?? 0, MICRO)
  if (reading === null) return null
  return Math.min(Math.max(0, reading + scaled(object.odometerOffset, MICRO)), MOST_MM)
}

function startEngineHours(object: TrackedObject, reading: number | null): number | null {
  return object.engineHoursType === 'system' ? scaled(object.engineHours ?? 0, HOUR_MS) : reading
}

/**
 * `leg`: the metres that this fix adds to the way, null where that is left to a later one. The odometer
 * `system` counts those, or with the distance source `odometer` what the device's counter gained
 * meanwhile; the odometer `sensor` follows the device's counter whether it moves or not. The mileage is
 * what was added since the trip began.
 */
export function countOdometer(
  track: Track,
  object: TrackedObject,
  readings: Readings,
  leg: number | null,
  startsTrip: boolean,
): Pick<Track, 'odometer' | 'mileage' | 'odometerReading'> {
  const isSensor = object.odometerType === 'sensor'
  const odometerReading = isSensor || leg !== null ? readings.odometer : track.odometerReading
  if (track.odometer === null) {
    const odometer = startOdometer(object, readings.odometer)
    return { odometer, mileage: odometer === null ? null : 0, odometerReading }
  }
  const way = isSensor ? (readings.odometerGain ?? 0) : millimetres(track, object, readings, leg)
  return {
    odometer: Math.min(track.odometer + way, MOST_MM),
    mileage: Math.min((startsTrip ? 0 : (track.mileage ?? 0)) + way, MOST_MM),
    odometerReading,
  }
}

function millimetres(
  track: Track,
  { accuracy }: TrackedObject,
  { odometerGain }: Readings,
  leg: number | null,
): number {
  if (leg === null || leg === 0) return 0
  if (accuracy.distanceSource !== 'odometer' || track.odometerReading === null) {
    return Math.round(leg * 1000)
  }
  // Where this fix does not tell it, the next that does tells the way of both.
  return odometerGain ?? 0
}

/** `gap`: ms since the fix before, which count where the engine was running then. */
export function countEngineHours(
  track: Track,
  object: TrackedObject,
  readings: Readings,
  gap: number,
): number | null {
  if (track.engineHours === null) return startEngineHours(object, readings.engineHours)
  if (object.engineHoursType === 'sensor') {
    return Math.min(track.engineHours + (readings.engineHoursGain ?? 0), MOST_MS)
  }
  const run = track.running && gap <= LONGEST_GAP_MS ? gap : 0
  return Math.min(track.engineHours + run, MOST_MS)
}
