/** Days of UTC, as whole numbers from 1970-01-01 on. */
export const DAY_MS = 86_400_000
/** A date has ten characters up to this time. */
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** `2026-11-20` */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** The milliseconds of a time of the API. Undefined if it is invalid. */
export function timeOf(written: unknown): number | undefined {
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN
  return time >= 0 && time <= LAST_TIME ? time : undefined
}
