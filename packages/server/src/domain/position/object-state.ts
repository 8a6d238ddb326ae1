import { type CurrentAttributes, NO_ATTRIBUTES } from '../attributes/current-attributes.ts'
import type { Fix } from './fix.ts'
import type { FoldState } from './fold-state.ts'

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
