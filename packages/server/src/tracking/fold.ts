import type { Fix } from '../domain/fix.ts'
import type { Dated, ObjectState } from '../domain/object-state.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import { motionOf } from './motion.ts'

/**
 * What an accepted fix makes of an object's state. Every part keeps the value with the latest
 * device time (of `timeServer`, the latest receipt), so the result does not depend on the order in
 * which fixes arrive.
 */
export function fold(state: ObjectState, object: TrackedObject, fix: Fix): ObjectState {
  const at = fix.timeDevice
  const motion = motionOf(fix, object.accuracy)
  return {
    lastFix: state.lastFix === null || at >= state.lastFix.timeDevice ? fix : state.lastFix,
    timeServer: later(state.timeServer, fix.timeServer),
    timeLastIdle: motion === 'idle' ? later(state.timeLastIdle, at) : state.timeLastIdle,
    timeLastMove: motion === 'moving' ? later(state.timeLastMove, at) : state.timeLastMove,
    timeLastStop: motion === 'stopped' ? later(state.timeLastStop, at) : state.timeLastStop,
    engineHours: latest(state.engineHours, fix.engineHours, at),
    odometer: latest(state.odometer, fix.odometer, at),
    mileage: latest(state.mileage, fix.mileage, at),
    address: latest(state.address, fix.address, at),
  }
}

function later(a: number | null, b: number): number {
  return a === null || b > a ? b : a
}

function latest<T>(standing: Dated<T> | null, value: T | null, at: number): Dated<T> | null {
  if (value === null || (standing !== null && standing.at > at)) return standing
  return { value, at }
}
