/** Time is handed in, so that a test can turn it. */
export type Clock = {
  /** Milliseconds since the epoch: for what is shown, stored or compared with a calendar. */
  now(): number
  /** Whole microseconds that never run backwards: for waits and windows. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now() * 1000),
}
