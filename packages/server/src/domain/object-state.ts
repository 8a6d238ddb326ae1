import type { Fix } from './fix.ts'

/** A value and the device time of the fix that brought it (milliseconds since the epoch). */
export type Dated<T> = { value: T; at: number }

/**
 * What an object's packets have told of it so far. It is a fold over its fixes that does not depend
 * on the order in which they came: of each value the one with the latest device time stands.
 */
export type ObjectState = {
  /** The fix with the latest device time. */
  lastFix: Fix | null
  /** The last time a packet was received, milliseconds since the epoch. */
  timeServer: number | null
  timeLastIdle: number | null
  timeLastMove: number | null
  timeLastStop: number | null
  /** Hours, km, km. */
  engineHours: Dated<number> | null
  odometer: Dated<number> | null
  mileage: Dated<number> | null
  address: Dated<string> | null
}

/** An object that has never reported. */
export const UNSEEN: Readonly<ObjectState> = Object.freeze({
  lastFix: null,
  timeServer: null,
  timeLastIdle: null,
  timeLastMove: null,
  timeLastStop: null,
  engineHours: null,
  odometer: null,
  mileage: null,
  address: null,
})
