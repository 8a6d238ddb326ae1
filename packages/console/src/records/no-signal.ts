const HOUR_MS = 3_600_000

/**
 * The time since which an open record has had no new position, if that is longer than the organization's limit for a
 * signal. A trip stays open until the next position, however long that takes, so only the viewer's clock shows it.
 */
export function noSignalSince(
  row: { start_time: string; end_time: string | null; duration: number },
  signalTimeoutHours: number,
  now: number,
): string | null {
  if (row.end_time !== null) return null
  const newest = Date.parse(row.start_time) + row.duration * 1_000
  return now - newest > signalTimeoutHours * HOUR_MS ? new Date(newest).toISOString() : null
}
