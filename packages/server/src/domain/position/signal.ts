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

/** The last moment at which an object still has a signal, unless another packet comes. -Infinity: it never had one. */
export function signalUntil(state: ObjectState, timeoutHours: number): number {
  const signal = lastSignal(state)
  return signal === null ? Number.NEGATIVE_INFINITY : signal + timeoutHours * HOUR_MS
}

/** The motion of an object as of `now`. Without a signal in the last `timeoutHours` it has `no_signal`. */
export function motionAt(state: ObjectState, now: number, timeoutHours: number): CurrentMotion {
  return signalUntil(state, timeoutHours) < now ? 'no_signal' : (state.fold?.motion ?? null)
}
