/** The used part of an object's daily quota on a UTC day (`domain/time.ts`, `utcDay`). */
export type QuotaCount = {
  organization: number
  day: number
  object: number
  count: number
}
