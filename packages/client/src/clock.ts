/** Time is handed in, so that a test can turn it. */
export type Clock = {
  /** Milliseconds that never run backwards. */
  now(): number
  /** Calls back after so many milliseconds; what is returned takes that back. */
  after(ms: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
