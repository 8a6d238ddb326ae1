import { formatInstant, HOUR_MS } from '../time/time.ts'

// The console imports this file: what it imports must run in a browser.

/**
 * The time of the newest signal, if it is longer ago than a signal may be, as of `now`. Null: there still is a signal.
 * All in milliseconds.
 */
export function noSignalSince(newest: number, timeoutMs: number, now: number): number | null {
  return now - newest > timeoutMs ? newest : null
}

/** The fields of a trip or stop, as answers have them, that contain its newest position. */
type Lasting = { start_time: string; end_time: string | null; duration: number }

/**
 * Since when an open trip or stop has had no new position, if that is longer than the organization's limit for a signal.
 * A trip stays open until the next position, however long that takes, so only the clock of the reader shows it. A visit
 * is as long as the object is inside, and its newest position may be one outside, so it has no such time.
 */
export function recordWithoutSignalSince(
  { start_time, end_time, duration }: Lasting,
  now: number,
  timeoutHours: number,
): string | null {
  if (end_time !== null) return null
  const newest = Date.parse(start_time) + duration * 1_000
  const since = noSignalSince(newest, timeoutHours * HOUR_MS, now)
  return since === null ? null : formatInstant(since)
}
