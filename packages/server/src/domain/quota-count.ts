/** Counters and charges of the daily quota are whole hundredths of a unit. Limits are whole units. */
export const HUNDREDTHS_PER_UNIT = 100

/** The used part of an object's daily quota on a UTC day (`domain/time/time.ts`, `utcDay`). */
export type QuotaCount = {
  organization: number
  day: number
  object: number
  hundredths: number
}

/** Rounds up, so that the units left are rounded down. */
export function wholeUnits(hundredths: number): number {
  return Math.ceil(hundredths / HUNDREDTHS_PER_UNIT)
}
