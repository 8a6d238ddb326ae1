/** The clock is passed in, so that a test can set it. */
export type Clock = {
  /** Milliseconds since the epoch, for times that are shown, stored or compared with a calendar. */
  now(): number
  /** Whole microseconds that never run backwards, for waits and windows. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now() * 1000),
}
