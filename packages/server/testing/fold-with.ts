import { bareFold, type Counters, type FoldState } from '../src/base/domain/position/fold-state.ts'

/** The fold state of an object that has never moved, with these counters. */
export function foldWith(counters: Counters): FoldState {
  return { ...bareFold({ time: 1, latitude: 1, longitude: 1 }, counters), motion: 'stopped' }
}
