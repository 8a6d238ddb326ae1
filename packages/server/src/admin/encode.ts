import { DAY_MS, formatInstant } from '../domain/time.ts'

/** `2026-11-20T10:00:00.000Z`; null where there is no moment, or none that can be written. */
export function instantOrNull(time: number | null): string | null {
  if (time === null) return null
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9_999 ? formatInstant(time) : null
}

/** `2026-11-20` of a UTC day. */
export function dateOfDay(day: number): string {
  return formatInstant(day * DAY_MS).slice(0, 10)
}
