import {
  newSlidingLogs,
  type RateVerdict,
  type SlidingLogs,
  takeSlot,
} from '../../access/rate-window.ts'
import type { Clock } from '../../domain/clock.ts'

/** Asks for one request of an organization; an admitted one is counted. */
export type RateWindow = { take(organization: number): RateVerdict }

/** Ids are given out one after the other, so that most logs of a page are of somebody. */
const IDS_PER_PAGE = 64

/**
 * The rate window of one process, in pages by id. An organization that has asked once keeps its log, so that
 * neither a sweep nor a look at whether it has expired is ever needed. The price: one that asks alone among its
 * neighbours takes a page, 5.6 kB.
 */
export function memoryRateWindow(clock: Clock): RateWindow {
  const pages = new Map<number, SlidingLogs>()

  function newPage(number: number): SlidingLogs {
    const page = newSlidingLogs(IDS_PER_PAGE)
    pages.set(number, page)
    return page
  }

  return {
    take(organization) {
      const number = Math.floor(organization / IDS_PER_PAGE)
      const page = pages.get(number) ?? newPage(number)
      return takeSlot(page, organization % IDS_PER_PAGE, clock.monotonic())
    },
  }
}
