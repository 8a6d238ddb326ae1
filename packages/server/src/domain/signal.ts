import type { ObjectState } from './object-state.ts'
import type { Motion } from './track.ts'

/** After this long without a packet the motion of an object is unknown. */
const SIGNAL_MS = 24 * 3_600_000

/**
 * When an object last gave a sign of life, in milliseconds since the epoch: the arrival of its packet, or
 * the packet's own time if it came late or by an import. Null: never.
 */
export function lastSignal({ timeServer, lastFix }: ObjectState): number | null {
  if (timeServer === null || lastFix === null) return timeServer
  return Math.min(timeServer, lastFix.timeDevice)
}

/** The motion of an object as of `now`. Null: unknown, or the last signal is more than 24 hours old. */
export function motionAt(state: ObjectState, now: number): Motion | null {
  const signal = lastSignal(state)
  return signal === null || signal < now - SIGNAL_MS ? null : (state.track?.motion ?? null)
}
