/** The clock is passed in, so that a test can set it. */
export type Clock = {
  /** Milliseconds that never run backwards. */
  now(): number
  /** Calls back after `ms` milliseconds. Call the result to cancel. */
  after(ms: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
