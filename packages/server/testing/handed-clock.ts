import type { Clock } from '../src/base/domain/time/time.ts'

/** A clock that a test sets. Both its times start at `startUs` and advance together. */
export type HandedClock = Clock & { advanceUs(us: number): void }

export function handedClock(startUs = 1_000_000_000): HandedClock {
  let us = startUs
  return {
    now: () => Math.floor(us / 1000),
    monotonic: () => us,
    advanceUs(by) {
      us += by
    },
  }
}
