import { type CurrentAttributes, NO_ATTRIBUTES } from '../attributes/current-attributes.ts'
import type { Language } from '../organization.ts'
import { HOUR_MS } from '../time/time.ts'
import type { Fix } from './fix.ts'
import type { FoldState, Motion } from './fold-state.ts'

/** A value with the device time of the fix that brought it, in milliseconds since the epoch. */
export type Dated<T> = { value: T; at: number }

/**
 * The current state of an object. Apart from `timeServer`, it is a fold over the object's fixes in the
 * order of their device times, so the order of arrival does not matter.
 */
export type ObjectState = {
  /** The newest believed fix, without attributes. The history may hide it. */
  readonly lastFix: Fix | null
  /** When the last packet came, in milliseconds since the epoch. */
  readonly timeServer: number | null
  readonly timeLastIdle: number | null
  readonly timeLastMove: number | null
  readonly timeLastStop: number | null
  readonly address: Dated<string> | null
  /** The fold state at the newest fix, including the counters. */
  readonly fold: FoldState | null
  /** Their places are the indexes in the records of the object's positions. */
  readonly attributes: CurrentAttributes
}

/** The state of an object that has never reported. */
export const UNSEEN: ObjectState = Object.freeze({
  lastFix: null,
  timeServer: null,
  timeLastIdle: null,
  timeLastMove: null,
  timeLastStop: null,
  address: null,
  fold: null,
  attributes: NO_ATTRIBUTES,
})

/** How an object moves at present. Null: its packets do not show it. */
export type CurrentMotion = Motion | 'no_signal' | null

/**
 * When an object last gave a sign of life, in milliseconds since the epoch: the arrival of its packet, or
 * the packet's own time if it came late or by an import. Null: never.
 */
export function lastSignal({ timeServer, lastFix }: ObjectState): number | null {
  if (timeServer === null || lastFix === null) return timeServer
  return Math.min(timeServer, lastFix.timeDevice)
}

/** The last moment at which an object still has a signal, unless another packet comes. -Infinity: it never had one. */
export function signalUntil(state: ObjectState, timeoutHours: number): number {
  const signal = lastSignal(state)
  return signal === null ? Number.NEGATIVE_INFINITY : signal + timeoutHours * HOUR_MS
}

/** Since when an object has had no signal. Null: it has one, or never had one. */
export function objectWithoutSignalSince(
  state: ObjectState,
  now: number,
  timeoutHours: number,
): number | null {
  return signalUntil(state, timeoutHours) < now ? lastSignal(state) : null
}

/** The motion of an object as of `now`. Without a signal in the last `timeoutHours` it has `no_signal`. */
export function motionAt(state: ObjectState, now: number, timeoutHours: number): CurrentMotion {
  return signalUntil(state, timeoutHours) < now ? 'no_signal' : (state.fold?.motion ?? null)
}

/** The address of a point (degrees, WGS 84), or null where none is known. */
export type AddressAt = (latitude: number, longitude: number) => string | null

/**
 * Addresses that are known without asking anybody, for positions that are read. The function is fastest for
 * positions next to each other, as a vehicle sends them. Never rejects.
 */
export type KnownAddresses = (language: Language) => Promise<AddressAt>

export const nothingKnown: AddressAt = () => null
