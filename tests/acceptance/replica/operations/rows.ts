import type { Random } from '../../../../packages/server/testing/random.ts'
import { noise } from '../../../../packages/server/testing/random.ts'
import type { Json } from '../../harness/fleetgate.ts'
import type { ModelObject } from '../trial-fleet.ts'

const METRES_PER_DEGREE = 96_000
const SECOND_MS = 1_000
/** Seconds of driving and standing in turns: long enough for a trip to end. */
const DRIVE = 900
const STAND = 600

/**
 * A row of the feed for an object at a moment. Its place is on a line, so the speed is realistic. `variant`:
 * other values for the same moment.
 */
export function rowAt(object: ModelObject, time: number, variant: number): Json {
  const seconds = Math.floor(time / SECOND_MS)
  const ofRound = seconds % (DRIVE + STAND)
  const driven = Math.floor(seconds / (DRIVE + STAND)) * DRIVE + Math.min(ofRound, DRIVE)
  const chance = (every: number, salt: number) =>
    noise(object.number * 31 + salt + variant * 101, Math.floor(seconds / every))
  const isDriving = ofRound < DRIVE
  const moment = new Date(time).toISOString()
  return {
    ident: object.ident,
    time_device: moment,
    latitude: round(41.4 + variant * 0.0007 + chance(60, 1) * 0.0002),
    longitude: round(2 + (driven % 40_000) * (10 / METRES_PER_DEGREE)),
    altitude: Math.floor(chance(30, 2) * 900),
    speed: chance(300, 3) < 0.3 ? null : isDriving ? 36 : 0,
    hdop: [null, 1, 2, 3][Math.floor(chance(1, 4) * 4)],
    ignition: chance(1_500, 5) < 0.3 ? null : isDriving || chance(600, 6) < 0.5,
    odometer: chance(20_000, 7) < 0.5 ? null : round((seconds % 10_000_000) / 100),
    engine_hours: chance(20_000, 8) < 0.5 ? null : round((seconds % 10_000_000) / 3_600),
    address: chance(10, 9) < 0.3 ? ownAddress(moment, variant) : null,
    ...(object.number % 2 === 1 && { attributes: attributesAt(chance, seconds) }),
  }
}

/** Every second object sends them; a position has some of them, or none. */
function attributesAt(chance: (every: number, salt: number) => number, seconds: number): Json {
  return {
    ...(chance(1, 10) < 0.6 && { fuel: Math.floor(chance(60, 11) * 1_000) / 10 }),
    ...(chance(1, 12) < 0.5 && { totalFuel: seconds % 1_000_000 }),
    ...(chance(1, 13) < 0.2 && { driver: `Driver ${Math.floor(chance(900, 14) * 4)}` }),
    ...(chance(1, 15) < 0.3 && { door: chance(60, 16) < 0.5 }),
  }
}

const SIGN = 'Calle '

/** An address that names its own row, so that it differs from the last known one of an object. */
function ownAddress(moment: string, variant: number): string {
  return `${SIGN}${variant} ${moment}`
}

/** Whether an address is the one that a row of this time brought. */
function isOwnAddress(address: unknown, time: string | null): boolean {
  return typeof address === 'string' && address.startsWith(SIGN) && address.endsWith(`${time}`)
}

/** Whether a row as answered has the address that it brought. */
export function hasOwnAddress({ address, time_device: time }: Json): boolean {
  return isOwnAddress(address, time)
}

/** Rows in another order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items]
  for (let index = left.length - 1; index > 0; index -= 1) {
    const other = random.whole(0, index)
    ;[left[index], left[other]] = [left[other]!, left[index]!]
  }
  return left
}

function round(value: number): number {
  return Number(value.toFixed(6))
}
