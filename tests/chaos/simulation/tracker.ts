import { hash, noise } from '../../../packages/server/testing/random.ts'
import type { ModelFix } from './model/drive.ts'
import type { SentRow } from './model/organization.ts'

/** An object has two trackers; the second sends other speeds and another quality. */
export type TrackerIndex = 0 | 1

/** HDOPs differ between an object's trackers, so that one of two fixes of a moment is better. */
const HDOPS = [
  [1, 3, 5, 5, 12],
  [2, 4, 4, 8, 12],
] as const
const SPEEDS = [0, 0, 2, 3, 4.5, 5, 17.25, 33, 88.5]
const SLOW_SPEEDS = [0, 0, 0, 2, 3, 4.5]
/** Seconds of driving and standing in turns: long enough for a trip to end. */
const DRIVE = 900
const STAND = 600
const IGNITIONS = [null, true, true, false]

/**
 * The packet of a tracker at a moment: always the same, so that it can be repeated. The place is a function of
 * time only, on a circuit at a realistic speed.
 */
export function packetOf(
  ident: string,
  tracker: TrackerIndex,
  timeDevice: number,
  now: number,
): SentRow {
  const seed = Math.abs(hash(ident)) % 100_003
  const seconds = timeDevice / 1000
  const ofRound = seconds % (DRIVE + STAND)
  // Its progress in seconds of driving.
  const driven = Math.floor(seconds / (DRIVE + STAND)) * DRIVE + Math.min(ofRound, DRIVE)
  const chance = (every: number, salt: number) => noise(seed + salt, Math.floor(seconds / every))
  const fix: ModelFix = {
    timeDevice,
    timeServer: now,
    latitude: decimals(41.4 + 0.02 * Math.sin(driven / 143) + tracker * 0.0001, 7),
    longitude: decimals(2.17 + 0.03 * Math.sin(driven / 271 + seed), 7),
    altitude: Math.floor(chance(30, 1) * 900),
    angle: Math.floor(chance(10, 2) * 360),
    speed: pick(ofRound < DRIVE ? SPEEDS : SLOW_SPEEDS, chance(90, 3 + tracker)),
    hdop: pick(HDOPS[tracker], chance(1, 5 + tracker)),
    ignition: pick(IGNITIONS, chance(400, 7)),
    odometer: decimals((seconds - 1_700_000_000) / 900, 6),
    address: chance(60, 8) < 0.2 ? `Carrer ${Math.floor(seconds / 60) % 100}` : null,
  }
  return { ident, fix, broken: null }
}

/** The row as JSON of the feed's own format; a broken one has its fault. */
export function rowJson({ ident, fix, broken }: SentRow): object {
  const { timeDevice, latitude, longitude, altitude, angle, speed, hdop } = fix
  const row = {
    ident,
    time_device: new Date(timeDevice).toISOString(),
    latitude,
    longitude,
    altitude,
    angle,
    speed,
    hdop,
    ignition: fix.ignition,
    odometer: fix.odometer,
    address: fix.address,
  }
  if (broken === 'missing_field') return { ...row, latitude: null }
  if (broken === 'bad_number') return { ...row, latitude: 'north' }
  if (broken === 'bad_time') return { ...row, time_device: '2026-02-30T10:00:00Z' }
  return row
}

function pick<T>(items: readonly T[], chance: number): T {
  return items[Math.floor(chance * items.length)]!
}

function decimals(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
