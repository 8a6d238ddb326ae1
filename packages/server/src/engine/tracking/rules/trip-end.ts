import type { FoldState } from '../../../base/domain/position/fold-state.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'

/*
 * This file says where a trip ends. The fold of positions and the records both ask here.
 */

/** A trip ends when the object has not moved for this long. */
const TRIP_END_MS = 5 * MINUTE_MS

/**
 * Whether a trip has ended before a fix at `time`.
 *
 * @param activeAt When the object last moved in the sense of a trip, milliseconds since the epoch.
 * @param hasStood Whether a fix at that time or since shows that it did not move. A trip ends only at such a fix.
 */
export function isTripOver(activeAt: number, hasStood: boolean, time: number): boolean {
  return hasStood && time - activeAt > TRIP_END_MS
}

/** Whether a trip is still under way at a fix at this time. */
export function isTripUnderWay({ activeAt, motion }: FoldState, time: number): boolean {
  return activeAt !== null && !isTripOver(activeAt, motion !== 'moving', time)
}

/** Meters in a millisecond: 1 km/h. */
const STILL_PACE = 1 / 3_600

/** Whether an object that comes so far in this time, in milliseconds, has stood, if the time is long enough. */
export function isStillPace(metres: number, ms: number): boolean {
  return metres < ms * STILL_PACE
}

/**
 * Whether a leg is so slow that the object has stood, whatever speeds its ends report: it ends the trip at its beginning.
 *
 * @param gain Meters that the device's odometer counted meanwhile: it may have driven in a circle.
 */
export function isSlowLeg(metres: number, gain: number, ms: number): boolean {
  return ms > TRIP_END_MS && isStillPace(Math.max(metres, gain), ms)
}
