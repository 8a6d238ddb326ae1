import type { Track, Trip } from '../api/types.ts'

/** The drivers of a trip, in the order in which they drove. */
export function driversOf(
  track: Track,
  { start_time, end_time }: Pick<Trip, 'start_time' | 'end_time'>,
): string[] {
  const changes = track.texts.find(({ name }) => name === 'driver')?.changes ?? []
  const start = Date.parse(start_time)
  const end = end_time === null ? Number.POSITIVE_INFINITY : Date.parse(end_time)
  const isThen = (_: unknown, at: number) =>
    changes[at]![0] < end && (changes[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) > start
  return [...new Set(changes.filter(isThen).map(([, driver]) => driver))]
}
