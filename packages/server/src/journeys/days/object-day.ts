import type { Summaries } from '../attributes/summary.ts'

/**
 * The totals of an object on a local day. Times are ms since the epoch, durations ms, odometers mm, engine hours
 * ms, speeds km/h.
 */
export type ObjectDay = {
  readonly object: number
  /** Counted from 1970-01-01. */
  readonly day: number
  /** The times of the first and the last position of the day. */
  readonly first: number
  readonly last: number
  /**
   * They fill the time from the last position before the day, or from its first moment, to its last position. Silent
   * is the time of silent trips.
   */
  readonly movingTime: number
  readonly idleTime: number
  readonly stoppedTime: number
  readonly silentTime: number
  /** The number of trips that start on the day. */
  readonly trips: number
  /** Positions that the history shows. */
  readonly positions: number
  /** Null if no position has a speed that can be believed. */
  readonly maxSpeed: number | null
  /**
   * At the last position before the day, and at the last one of the day. Without one before the day, the first
   * one that is known. Null without a counter.
   */
  readonly odometer: CounterSpan
  readonly engineHours: CounterSpan
  /** Only if they were asked for. */
  readonly attributes?: Summaries
}

export type CounterSpan = { readonly start: number | null; readonly end: number | null }

/** Null without a counter. */
export function differenceOf({ start, end }: CounterSpan): number | null {
  return start === null || end === null ? null : end - start
}
