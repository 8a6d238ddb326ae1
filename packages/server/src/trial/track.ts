import type { Counters, Track } from '../domain/track.ts'

/** The track of an object that stands where it began, with these counters. */
export function trackWith(counters: Counters): Track {
  const spot = { time: 1, latitude: 1, longitude: 1 }
  return {
    at: spot.time,
    last: spot,
    anchor: spot,
    shown: spot,
    suspect: null,
    motion: 'stopped',
    moved: false,
    parked: false,
    running: false,
    activeAt: null,
    tripFrom: null,
    ...counters,
    odometerReading: null,
    engineHoursReading: null,
  }
}
