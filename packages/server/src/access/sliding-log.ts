/** The contract's limit: 10 requests of one organization in any 10 seconds. */
export const RATE_WINDOW = { requests: 10, spanUs: 10_000_000 } as const

/**
 * Exact sliding logs, side by side. A log holds the index of its oldest entry and the times of its last
 * ten admissions. Ten are all that the rule needs, so a log never grows, and asking one touches two or
 * three cache lines.
 */
export type SlidingLogs = Float64Array

/** Numbers in one log. */
const LOG_NUMBERS = 1 + RATE_WINDOW.requests

export type RateVerdict = {
  admitted: boolean
  /** Requests that would still be admitted at this moment. */
  remaining: number
  /** Microseconds until the next slot is free. For a refused request, until one would be admitted. */
  resetUs: number
}

export function newSlidingLogs(count: number): SlidingLogs {
  const logs = new Float64Array(count * LOG_NUMBERS).fill(-Infinity)
  for (let log = 0; log < count; log++) logs[log * LOG_NUMBERS] = 0
  return logs
}

/**
 * Admits a request to log number `log` and notes it, unless some half-open span of 10 s would then hold
 * more than `most` admissions. A refused request leaves no trace. `nowUs` is whole microseconds of a clock
 * that never runs backwards, so `nowUs + resetUs` is exactly the first moment of admission.
 */
export function takeSlot(
  logs: SlidingLogs,
  log: number,
  nowUs: number,
  most: number = RATE_WINDOW.requests,
): RateVerdict {
  const { requests, spanUs } = RATE_WINDOW
  const at = log * LOG_NUMBERS
  const moments = at + 1
  const expired = nowUs - spanUs
  const waitUs = slotWait(logs, log, nowUs, most)
  if (waitUs > 0) return { admitted: false, remaining: 0, resetUs: waitUs }
  noteSlot(logs, log, nowUs)
  const oldest = logs[at]!
  // The newest `most` admissions count.
  const first = oldest + requests - most
  let remaining = 0
  while (remaining < most - 1 && logs[moments + ((first + remaining) % requests)]! <= expired) {
    remaining++
  }
  const oldestInSpan = logs[moments + ((first + remaining) % requests)]!
  return { admitted: true, remaining, resetUs: oldestInSpan - expired }
}

/** Notes a request that was admitted elsewhere. */
export function noteSlot(logs: SlidingLogs, log: number, nowUs: number): void {
  const at = log * LOG_NUMBERS
  logs[at + 1 + logs[at]!] = nowUs
  logs[at] = (logs[at]! + 1) % RATE_WINDOW.requests
}

/** Microseconds until a log admits a request. 0 or less: now. */
export function slotWait(logs: SlidingLogs, log: number, nowUs: number, most: number): number {
  const { requests, spanUs } = RATE_WINDOW
  const at = log * LOG_NUMBERS
  const oldestThatCounts = logs[at + 1 + ((logs[at]! + requests - most) % requests)]!
  return oldestThatCounts - (nowUs - spanUs)
}

/** The verdict on an admitted request of a key that has only a share of the window. */
export function lowerOf(window: RateVerdict, share: RateVerdict): RateVerdict {
  if (window.remaining === share.remaining) {
    return { ...share, resetUs: Math.max(window.resetUs, share.resetUs) }
  }
  return window.remaining < share.remaining ? window : share
}
