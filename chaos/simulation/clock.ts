import type { Clock } from '../../packages/server/src/domain/clock.ts'
import { handedClock } from '../../packages/server/src/domain/handed-clock.ts'

/** A handed-in clock whose wall can be set, as an operator or NTP does, while waits go on undisturbed. */
export type SetClock = Clock & {
  advanceUs(us: number): void
  /** Sets the wall forward, or back; milliseconds. */
  step(ms: number): void
}

export function setClock(startMs: number): SetClock {
  const steady = handedClock()
  let offset = startMs - steady.now()
  return {
    now: () => steady.now() + offset,
    monotonic: steady.monotonic,
    advanceUs: steady.advanceUs,
    step(ms) {
      offset += ms
    },
  }
}
