import { newSlidingLogs, type RateVerdict, takeSlot } from '../../access/rate-window.ts'
import { IDS_PER_PAGE, idPages, indexInPage } from '../../domain/id-pages.ts'
import type { Clock } from '../../domain/time/clock.ts'

/** Asks for one request of an organization. An admitted request is counted. */
export type RateWindow = { take(organization: number): RateVerdict }

/**
 * The rate window of one process, in pages by id. An organization that has asked once keeps its log, so
 * that no sweep and no check for expiry is needed. A page takes 5.6 kB.
 */
export function memoryRateWindow(clock: Clock): RateWindow {
  const pages = idPages(() => newSlidingLogs(IDS_PER_PAGE))

  return {
    take: (organization) =>
      takeSlot(pages.of(organization), indexInPage(organization), clock.monotonic()),
  }
}
