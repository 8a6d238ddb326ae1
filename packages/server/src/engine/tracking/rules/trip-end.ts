/** A trip ends when the object has not moved for this long. */
export const TRIP_END_MS = 5 * 60_000

/**
 * Whether a trip has ended before a fix at `time`. The fold of positions and the records both ask here.
 *
 * @param activeAt When the object last moved in the sense of a trip, milliseconds since the epoch.
 * @param hasStood Whether a fix at that time or since shows that it did not move. A trip ends only at such a fix.
 */
export function isTripOver(activeAt: number, hasStood: boolean, time: number): boolean {
  return hasStood && time - activeAt > TRIP_END_MS
}
