/** The contract's limit: 10 requests of one organization in any 10 seconds. */
export const RATE_WINDOW = { requests: 10, spanUs: 10_000_000 } as const

/**
 * An exact sliding log: the moments of the last admissions, the oldest of them next to be
 * overwritten. Ten of them say all that the rule needs, so a log never grows.
 */
export type SlidingLog = { readonly admittedAt: Float64Array; oldest: number }

export type RateVerdict = {
  admitted: boolean
  /** How many more would be admitted at this moment. */
  remaining: number
  /** Microseconds until the next slot frees; for a refused request, until one would be admitted. */
  resetUs: number
}

export function newSlidingLog(): SlidingLog {
  return { admittedAt: new Float64Array(RATE_WINDOW.requests).fill(-Infinity), oldest: 0 }
}

/**
 * Admits a request where no span of 10 s, half open, would hold more than 10 admissions with it,
 * and notes it. A refused request leaves no trace. `nowUs` is whole microseconds of a clock that
 * never runs backwards; whole, so that `now + resetUs` is exactly the first moment of admission.
 */
export function takeSlot(log: SlidingLog, nowUs: number): RateVerdict {
  const { admittedAt } = log
  const { requests, spanUs } = RATE_WINDOW
  const expired = nowUs - spanUs
  const tenthLast = admittedAt[log.oldest]!
  if (tenthLast > expired) {
    return { admitted: false, remaining: 0, resetUs: tenthLast - expired }
  }
  admittedAt[log.oldest] = nowUs
  log.oldest = (log.oldest + 1) % requests
  let remaining = 0
  while (remaining < requests - 1 && admittedAt[(log.oldest + remaining) % requests]! <= expired) {
    remaining++
  }
  const oldestInSpan = admittedAt[(log.oldest + remaining) % requests]!
  return { admitted: true, remaining, resetUs: oldestInSpan - expired }
}
