import type { Clock } from '../../../packages/server/src/base/domain/time/time.ts'
import { handedClock } from '../../../packages/server/testing/handed-clock.ts'

/** A passed-in clock whose wall time can be set, as an operator or NTP does, without affecting timers. */
export type SetClock = Clock & {
  advanceUs(us: number): void
  /** Moves the wall time forward or back; milliseconds. */
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
