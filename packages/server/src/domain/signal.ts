import type { ObjectState } from './object-state.ts'
import type { Motion } from './track.ts'

/** After that long without a packet nobody knows how an object moves. */
const SIGNAL_MS = 24 * 3_600_000

/**
 * When an object last gave a sign of life, milliseconds since the epoch: when its packet came, or when that was
 * taken, where it came late or by an import. Null: never.
 */
export function lastSignal({ timeServer, lastFix }: ObjectState): number | null {
  if (timeServer === null || lastFix === null) return timeServer
  return Math.min(timeServer, lastFix.timeDevice)
}

/** How an object moves as of `now`. Null: unknown, or its last signal is more than 24 hours old. */
export function motionAt(state: ObjectState, now: number): Motion | null {
  const signal = lastSignal(state)
  return signal === null || signal < now - SIGNAL_MS ? null : (state.track?.motion ?? null)
}
