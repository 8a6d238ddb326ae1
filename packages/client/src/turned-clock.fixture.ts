import type { Clock } from './clock.ts'

/** A clock that a test turns. */
export type TurnedClock = Clock & {
  /** Turns it to what is due next, call by call, until nothing is due any more. */
  runOut(): Promise<void>
}

export function turnedClock(): TurnedClock {
  let now = 0
  const due = new Set<{ at: number; call: () => void }>()

  return {
    now: () => now,
    after(ms, call) {
      const entry = { at: now + ms, call }
      due.add(entry)
      return () => due.delete(entry)
    },
    async runOut() {
      for (;;) {
        // Whatever waits for promises goes first.
        await new Promise(setImmediate)
        if (due.size === 0) return
        const [next] = [...due].sort((a, b) => a.at - b.at)
        due.delete(next!)
        now = Math.max(now, next!.at)
        next!.call()
      }
    },
  }
}
