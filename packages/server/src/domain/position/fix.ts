/**
 * One GPS fix of one object, as its device sent it. Two fixes of an object with the same `timeDevice` are
 * the same fix. Units are Fleetgate's own. An organization's distance unit matters only when an answer is
 * written.
 */
export type Fix = {
  /** When the device took the fix, and when the server received it: milliseconds since the epoch. */
  timeDevice: number
  timeServer: number
  /** Degrees, WGS 84. */
  latitude: number
  longitude: number
  /** Metres. */
  altitude: number | null
  /** Heading, degrees, 0 to 360. */
  angle: number | null
  /** km/h. */
  speed: number | null
  /**
   * The device's own counters in hours and km. The object's settings decide whether answers show them.
   */
  engineHours: number | null
  odometer: number | null
  /** Horizontal dilution of precision. */
  hdop: number | null
  /** GPS quality level as the device gives it, usually the number of satellites. */
  gpsLevel: number | null
  ignition: boolean | null
  address: string | null
}

/** A fix with a time and a place and nothing else. */
export function bareFix(
  timeDevice: number,
  timeServer: number,
  latitude: number,
  longitude: number,
): Fix {
  return {
    timeDevice,
    timeServer,
    latitude,
    longitude,
    altitude: null,
    angle: null,
    speed: null,
    engineHours: null,
    odometer: null,
    hdop: null,
    gpsLevel: null,
    ignition: null,
    address: null,
  }
}

/** The largest value of each field. No vehicle has a larger one. */
export const FIX_LIMITS = {
  /** Metres, above or below sea level. */
  altitude: 21_000_000,
  /** Degrees. */
  angle: 360,
  /** km/h. */
  speed: 4_294,
  /** Hours. */
  engineHours: 10_000_000,
  /** km. */
  odometer: 100_000_000,
  mileage: 100_000_000,
  hdop: 655,
  gpsLevel: 255,
  /** Bytes of UTF-8. */
  addressBytes: 1_024,
} as const

const DAY_MS = 86_400_000

/** Why a fix cannot be a position. Import summaries show these names. */
export type FixFault = 'bad_time' | 'in_future' | 'out_of_range' | 'no_fix'

/**
 * Returns the first fault of a fix, or undefined. Receivers report 0,0 before they have a fix. A device
 * clock that is more than a day ahead is wrong, and its fix would hide every later one.
 */
export function fixFault(fix: Fix, now: number): FixFault | undefined {
  if (!isMoment(fix.timeDevice) || !isMoment(fix.timeServer)) return 'bad_time'
  if (fix.timeDevice > now + DAY_MS) return 'in_future'
  if (!(Math.abs(fix.latitude) <= 90) || !(Math.abs(fix.longitude) <= 180)) return 'out_of_range'
  if (fix.latitude === 0 && fix.longitude === 0) return 'no_fix'
  const fits =
    (fix.altitude === null || Math.abs(fix.altitude) <= FIX_LIMITS.altitude) &&
    isWithin(fix.angle, FIX_LIMITS.angle) &&
    isWithin(fix.speed, FIX_LIMITS.speed) &&
    isWithin(fix.engineHours, FIX_LIMITS.engineHours) &&
    isWithin(fix.odometer, FIX_LIMITS.odometer) &&
    isWithin(fix.hdop, FIX_LIMITS.hdop) &&
    isWithin(fix.gpsLevel, FIX_LIMITS.gpsLevel) &&
    (fix.address === null || Buffer.byteLength(fix.address) <= FIX_LIMITS.addressBytes)
  return fits ? undefined : 'out_of_range'
}

/** Answers write years with four digits. */
const YEAR_10000 = 253_402_300_800_000

function isMoment(time: number): boolean {
  return Number.isSafeInteger(time) && time >= 0 && time < YEAR_10000
}

function isWithin(value: number | null, limit: number): boolean {
  return value === null || (value >= 0 && value <= limit)
}
