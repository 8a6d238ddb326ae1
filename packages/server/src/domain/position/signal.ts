import type { Motion } from './fold-state.ts'
import type { ObjectState } from './object-state.ts'

const HOUR_MS = 3_600_000

/** How an object moves at present. Null: its packets do not tell. */
export type CurrentMotion = Motion | 'no_signal' | null

/**
 * When an object last gave a sign of life, in milliseconds since the epoch: the arrival of its packet, or
 * the packet's own time if it came late or by an import. Null: never.
 */
export function lastSignal({ timeServer, lastFix }: ObjectState): number | null {
  if (timeServer === null || lastFix === null) return timeServer
  return Math.min(timeServer, lastFix.timeDevice)
}

/** The motion of an object as of `now`. Without a signal in the last `timeoutHours` it has `no_signal`. */
export function motionAt(state: ObjectState, now: number, timeoutHours: number): CurrentMotion {
  const signal = lastSignal(state)
  if (signal === null || signal < now - timeoutHours * HOUR_MS) return 'no_signal'
  return state.fold?.motion ?? null
}
