import type { Fix } from '../../domain/fix.ts'
import type { Dated, ObjectState } from '../../domain/object-state.ts'
import type { Motion, Step, Track } from '../../domain/track.ts'

/** What an object's state becomes with a fix that is newer than all before. */
export function afterInOrder(state: ObjectState, fix: Fix, { track }: Step): ObjectState {
  const { motion } = track
  const { timeDevice: at, address } = fix
  return {
    // History shows a fix in doubt, but the object's place does not jump there.
    lastFix: track.last.time === at ? shownFix(fix) : state.lastFix,
    timeServer: later(state.timeServer, fix.timeServer),
    timeLastIdle: motion === 'idle' ? at : state.timeLastIdle,
    timeLastMove: motion === 'moving' ? at : state.timeLastMove,
    timeLastStop: motion === 'stopped' ? at : state.timeLastStop,
    address: address === null ? state.address : newer(state.address, { value: address, at }),
    track,
  }
}

/** With a packet that tells no more than that the object is alive; the same where that was known. */
export function heardFrom(state: ObjectState, timeServer: number): ObjectState {
  const heard = later(state.timeServer, timeServer)
  return heard === state.timeServer ? state : { ...state, timeServer: heard }
}

/** With what a late fix adds to all later counters. */
export function shifted(
  track: Track,
  shift: { from: number; odometer: number; mileage: number; engineHours: number },
): Track {
  // Below zero only where a fold is not finished: what is left of it comes to the right amount.
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

/** The field that says when an object last moved so. */
export const LAST_TIME = {
  moving: 'timeLastMove',
  idle: 'timeLastIdle',
  stopped: 'timeLastStop',
} as const satisfies Record<Motion, keyof ObjectState>

/** As answers show it: the device's own counters are no part of that. */
export function shownFix(fix: Fix): Fix {
  if (fix.engineHours === null && fix.odometer === null) return fix
  return { ...fix, engineHours: null, odometer: null }
}

export function newer<T>(standing: Dated<T> | null, come: Dated<T>): Dated<T> {
  return standing !== null && standing.at > come.at ? standing : come
}

export function later(a: number | null, b: number): number {
  return a === null || b > a ? b : a
}
