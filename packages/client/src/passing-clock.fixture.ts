import type { Clock } from './clock.ts'

/** A clock that jumps to the end of each wait. Waits of at least `timeoutMs` never end. */
export function passingClock(timeoutMs: number): Clock {
  let now = 0
  return {
    now: () => now,
    after(ms, call) {
      if (ms >= timeoutMs) return () => {}
      const timer = setImmediate(() => {
        now += ms
        call()
      })
      return () => clearImmediate(timer)
    },
  }
}
