import { DAY_MS } from '../time/time.ts'
import type { Attribute } from './attribute.ts'
import { type QuantityKey, SENT, type SentKey, type SentQuantity } from './field-lists.ts'
import { FIELDS } from './position-fields.ts'

/**
 * One GPS fix of one object, as its device sent it. Two fixes of an object with the same `timeDevice` are
 * the same fix. `position-fields.ts` has the numbers that it may have, in Fleetgate's own units: meters, degrees, km,
 * km/h, hours. An organization's distance unit matters only when an answer is written. The object's settings decide
 * whether answers show the device's own counters.
 */
export type Fix = {
  /** When the device took the fix, and when the server received it: milliseconds since the epoch. */
  timeDevice: number
  timeServer: number
  /** Degrees, WGS 84. */
  latitude: number
  longitude: number
  ignition: boolean | null
  /** Whether `timeDevice` was corrected by rollovers of the week number of GPS. */
  corrected: boolean
  address: string | null
  /** All else that its device sent, by name. Null: nothing. */
  attributes: readonly Attribute[] | null
} & { [Key in SentKey]: number | null }

/** All fixes are copies of it, because V8 is slow with objects whose fields came in different orders. */
const NOTHING: Fix = {
  timeDevice: Number.NaN,
  timeServer: Number.NaN,
  latitude: Number.NaN,
  longitude: Number.NaN,
  ...(Object.fromEntries(SENT.map(({ key }) => [key, null])) as { [Key in SentKey]: null }),
  ignition: null,
  corrected: false,
  address: null,
  attributes: null,
}

/** A fix with a time and coordinates and nothing else. */
export function bareFix(
  timeDevice: number,
  timeServer: number,
  latitude: number,
  longitude: number,
): Fix {
  return { ...NOTHING, timeDevice, timeServer, latitude, longitude }
}

/** The largest value of each number of a position, and of the bytes of an address. */
export const FIX_LIMITS = {
  ...limits(),
  /** Bytes of UTF-8. */
  addressBytes: FIELDS.address.maximumBytes,
} as const

function limits(): { readonly [Key in QuantityKey]: number } {
  const { mileage } = FIELDS
  const all = [...SENT, mileage].map(({ key, maximum }) => [key, maximum])
  return Object.fromEntries(all) as { [Key in QuantityKey]: number }
}

/** Why a fix cannot be a position. Import summaries show these names. */
export type FixFault = 'bad_time' | 'in_future' | 'out_of_range' | 'no_fix'

/**
 * Returns the first fault of a fix, or undefined. Receivers report 0,0 before they have a fix. A device
 * clock that is more than a day ahead is wrong, and its fix would hide every later one: no organization allows more.
 */
export function fixFault(fix: Fix, now: number): FixFault | undefined {
  if (!isMoment(fix.timeDevice) || !isMoment(fix.timeServer)) return 'bad_time'
  if (fix.timeDevice > now + DAY_MS) return 'in_future'
  const { latitude, longitude } = FIELDS
  if (!(Math.abs(fix.latitude) <= latitude.maximum)) return 'out_of_range'
  if (!(Math.abs(fix.longitude) <= longitude.maximum)) return 'out_of_range'
  if (fix.latitude === 0 && fix.longitude === 0) return 'no_fix'
  if (!hasNumbersInRange(fix)) return 'out_of_range'
  if (fix.address === null) return undefined
  return Buffer.byteLength(fix.address) <= FIX_LIMITS.addressBytes ? undefined : 'out_of_range'
}

/**
 * The numbers that devices send, the first ones each by a name of its own: V8 looks up the key of `fix[key]` each time
 * if that place in the code meets several keys, which takes ten times as long.
 */
const [A, B, C, D, E, F, G, H, ...OTHERS] = SENT as ManyQuantities
type Sent = SentQuantity
type ManyQuantities = readonly [...[Sent, Sent, Sent, Sent, Sent, Sent, Sent, Sent], ...Sent[]]

function hasNumbersInRange(fix: Fix): boolean {
  return (
    isInRange(fix[A.key], A) &&
    isInRange(fix[B.key], B) &&
    isInRange(fix[C.key], C) &&
    isInRange(fix[D.key], D) &&
    isInRange(fix[E.key], E) &&
    isInRange(fix[F.key], F) &&
    isInRange(fix[G.key], G) &&
    isInRange(fix[H.key], H) &&
    OTHERS.every((each) => isInRange(fix[each.key], each))
  )
}

function isInRange(value: number | null, { minimum, maximum }: SentQuantity): boolean {
  return value === null || (value >= minimum && value <= maximum)
}

/** Answers write years with four digits. */
const YEAR_10000 = 253_402_300_800_000

function isMoment(time: number): boolean {
  return Number.isSafeInteger(time) && time >= 0 && time < YEAR_10000
}
