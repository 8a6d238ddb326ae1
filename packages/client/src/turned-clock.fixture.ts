import type { Clock } from './clock.ts'

/** A clock that a test sets. */
export type TurnedClock = Clock & {
  /** Advances to each due call in turn, until nothing is due. */
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
        // Pending promises run first.
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
