import type { Fix } from './fix.ts'
import type { Track } from './track.ts'

/** A value and the device time of the fix that brought it (milliseconds since the epoch). */
export type Dated<T> = { value: T; at: number }

/**
 * What an object's packets have told of it so far. `timeServer` aside it is a fold over its fixes in
 * the order of their device times, whatever the order in which they came.
 */
export type ObjectState = {
  /** The newest fix that is believed, whether or not history shows it. */
  readonly lastFix: Fix | null
  /** The last time a packet was received, milliseconds since the epoch. */
  readonly timeServer: number | null
  readonly timeLastIdle: number | null
  readonly timeLastMove: number | null
  readonly timeLastStop: number | null
  readonly address: Dated<string> | null
  /** The fold as of the newest fix, its counters among it. */
  readonly track: Track | null
}

/** An object that has never reported. */
export const UNSEEN: ObjectState = Object.freeze({
  lastFix: null,
  timeServer: null,
  timeLastIdle: null,
  timeLastMove: null,
  timeLastStop: null,
  address: null,
  track: null,
})
