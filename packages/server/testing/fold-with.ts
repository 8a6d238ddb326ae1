import type { Counters, FoldState } from '../src/domain/position/fold-state.ts'

/** The fold state of an object that has never moved, with these counters. */
export function foldWith(counters: Counters): FoldState {
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
    silence: null,
    doubtedAt: null,
    activeAt: null,
    tripFrom: null,
    ...counters,
    odometerReading: null,
    engineHoursReading: null,
  }
}
