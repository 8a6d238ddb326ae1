import type { Track, Trip } from '../api/types.ts'
import { endOf, startOf } from './span.ts'

/** The drivers of a trip, in the order in which they drove. */
export function driversOf(track: Track, trip: Pick<Trip, 'start_time' | 'end_time'>): string[] {
  const changes = track.texts.find(({ name }) => name === 'driver')?.changes ?? []
  const start = startOf(trip)
  const end = endOf(trip)
  const isThen = (_: unknown, at: number) =>
    changes[at]![0] < end && (changes[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) > start
  return [...new Set(changes.filter(isThen).map(([, driver]) => driver))]
}
