import type { Fix } from '../../domain/fix.ts'
import type { Dated, ObjectState } from '../../domain/object-state.ts'
import type { Motion, Step, Track } from '../../domain/track.ts'

/** The state of an object after a fix that is newer than all before. */
export function afterInOrder(state: ObjectState, fix: Fix, { track }: Step): ObjectState {
  const { motion } = track
  const { timeDevice: at, address } = fix
  return {
    // The history shows a suspect fix, but the object's place does not jump there.
    lastFix: track.last.time === at ? shownFix(fix) : state.lastFix,
    timeServer: later(state.timeServer, fix.timeServer),
    timeLastIdle: motion === 'idle' ? at : state.timeLastIdle,
    timeLastMove: motion === 'moving' ? at : state.timeLastMove,
    timeLastStop: motion === 'stopped' ? at : state.timeLastStop,
    address: address === null ? state.address : newer(state.address, { value: address, at }),
    track,
  }
}

/**
 * The state after a packet that only shows that the object is alive. Returns the same state if nothing
 * changed.
 */
export function heardFrom(state: ObjectState, timeServer: number): ObjectState {
  const heard = later(state.timeServer, timeServer)
  return heard === state.timeServer ? state : { ...state, timeServer: heard }
}

/** The track after a late fix has added `shift` to all later counters. */
export function shifted(
  track: Track,
  shift: { from: number; odometer: number; mileage: number; engineHours: number },
): Track {
  // A sum is below zero only while a fold is unfinished. The rest of the fold corrects it.
  const plus = (value: number | null, by: number) =>
    value === null ? null : Math.max(0, value + by)
  const isTripShifted = track.tripFrom === null || track.tripFrom < shift.from
  return {
    ...track,
    odometer: plus(track.odometer, shift.odometer),
    mileage: isTripShifted ? plus(track.mileage, shift.mileage) : track.mileage,
    engineHours: plus(track.engineHours, shift.engineHours),
  }
}

/** The field of the state that holds the last time of each motion. */
export const LAST_TIME = {
  moving: 'timeLastMove',
  idle: 'timeLastIdle',
  stopped: 'timeLastStop',
} as const satisfies Record<Motion, keyof ObjectState>

/** The fix as answers show it, without the device's own counters. */
export function shownFix(fix: Fix): Fix {
  if (fix.engineHours === null && fix.odometer === null) return fix
  return { ...fix, engineHours: null, odometer: null }
}

export function newer<T>(existing: Dated<T> | null, incoming: Dated<T>): Dated<T> {
  return existing !== null && existing.at > incoming.at ? existing : incoming
}

export function later(a: number | null, b: number): number {
  return a === null || b > a ? b : a
}
