/** The contract's limit: 10 requests of one organization in any 10 seconds. */
export const RATE_WINDOW = { requests: 10, spanUs: 10_000_000 } as const

/**
 * Exact sliding logs, side by side: of each the moments of the last admissions, the oldest of them next to
 * be overwritten, and before them which one that is. Ten of them say all that the rule needs, so a log never
 * grows; and asking one touches two or three lines of the processor's cache.
 */
export type SlidingLogs = Float64Array

/** Numbers of one log. */
const LOG_NUMBERS = 1 + RATE_WINDOW.requests

export type RateVerdict = {
  admitted: boolean
  /** How many more would be admitted at this moment. */
  remaining: number
  /** Microseconds until the next slot frees; for a refused request, until one would be admitted. */
  resetUs: number
}

export function newSlidingLogs(count: number): SlidingLogs {
  const logs = new Float64Array(count * LOG_NUMBERS).fill(-Infinity)
  for (let log = 0; log < count; log++) logs[log * LOG_NUMBERS] = 0
  return logs
}

/**
 * Admits a request to log number `log` where no span of 10 s, half open, would hold more than 10 admissions
 * with it, and notes it. A refused request leaves no trace. `nowUs` is whole microseconds of a clock that
 * never runs backwards; whole, so that `now + resetUs` is exactly the first moment of admission.
 */
export function takeSlot(logs: SlidingLogs, log: number, nowUs: number): RateVerdict {
  const { requests, spanUs } = RATE_WINDOW
  const at = log * LOG_NUMBERS
  const moments = at + 1
  const expired = nowUs - spanUs
  const tenthLast = logs[moments + logs[at]!]!
  if (tenthLast > expired) {
    return { admitted: false, remaining: 0, resetUs: tenthLast - expired }
  }
  logs[moments + logs[at]!] = nowUs
  const oldest = (logs[at]! + 1) % requests
  logs[at] = oldest
  let remaining = 0
  while (
    remaining < requests - 1 &&
    logs[moments + ((oldest + remaining) % requests)]! <= expired
  ) {
    remaining++
  }
  const oldestInSpan = logs[moments + ((oldest + remaining) % requests)]!
  return { admitted: true, remaining, resetUs: oldestInSpan - expired }
}
