import { DAY_MS } from '../domain/time/time.ts'

/** Positions are partitioned and compared by week. */
export const WEEK_MS = 7 * DAY_MS
/** The epoch was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The Monday, 00:00 UTC, of a moment's week, in milliseconds since the epoch. */
export function weekOf(moment: number): number {
  return Math.floor((moment - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS
}
