import {
  newSlidingLog,
  RATE_WINDOW,
  type RateVerdict,
  type SlidingLog,
  takeSlot,
} from '../../access/rate-window.ts'
import type { Clock } from '../../domain/clock.ts'

/** Asks for one request of an organization; an admitted one is counted. */
export type RateWindow = { take(organization: number): RateVerdict }

/**
 * The rate window of one process. Logs live in two generations: at least one span after the last
 * change of generation the older one holds nothing that still counts, and is dropped whole, so
 * that idle organizations cost neither memory nor a sweep.
 */
export function memoryRateWindow(clock: Clock): RateWindow {
  let young = new Map<number, SlidingLog>()
  let old = new Map<number, SlidingLog>()
  let turnedUs = clock.monotonic()

  function logOf(organization: number): SlidingLog {
    let log = young.get(organization)
    if (log === undefined) {
      log = old.get(organization) ?? newSlidingLog()
      young.set(organization, log)
    }
    return log
  }

  return {
    take(organization) {
      const nowUs = clock.monotonic()
      if (nowUs - turnedUs >= RATE_WINDOW.spanUs) {
        old = young
        young = new Map()
        turnedUs = nowUs
      }
      return takeSlot(logOf(organization), nowUs)
    },
  }
}
