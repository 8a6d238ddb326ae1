import {
  lowerOf,
  newSlidingLogs,
  noteSlot,
  type RateVerdict,
  slotWait,
  takeSlot,
} from '../../access/sliding-log.ts'
import { IDS_PER_PAGE, idPages, indexInPage } from '../../domain/id-pages.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { WindowShare } from '../realtime.ts'

/** Asks for one request of an organization. An admitted request is counted. */
export type RateWindow = { take(organization: number, share?: WindowShare | null): RateVerdict }

/** Counts a request that was admitted elsewhere. */
type Noting = { note(organization: number, share?: WindowShare | null): void }

/**
 * The rate window of one process, in pages by id. An organization that has asked once keeps its log, so
 * that no sweep and no check for expiry is needed. A page takes 5.6 kB. A key with a share has a log too.
 */
export function memoryRateWindow(clock: Clock): RateWindow & Noting {
  const pages = idPages(() => newSlidingLogs(IDS_PER_PAGE))
  const ofKeys = idPages(() => newSlidingLogs(IDS_PER_PAGE))

  function takeShare(organization: number, { key, requests }: WindowShare): RateVerdict {
    const nowUs = clock.monotonic()
    const [logs, log] = [ofKeys.of(key), indexInPage(key)]
    const waitUs = slotWait(logs, log, nowUs, requests)
    if (waitUs > 0) return { admitted: false, remaining: 0, resetUs: waitUs }
    const window = takeSlot(pages.of(organization), indexInPage(organization), nowUs)
    return window.admitted ? lowerOf(window, takeSlot(logs, log, nowUs, requests)) : window
  }

  return {
    take(organization, share) {
      if (share) return takeShare(organization, share)
      return takeSlot(pages.of(organization), indexInPage(organization), clock.monotonic())
    },
    note(organization, share) {
      const nowUs = clock.monotonic()
      noteSlot(pages.of(organization), indexInPage(organization), nowUs)
      if (share) noteSlot(ofKeys.of(share.key), indexInPage(share.key), nowUs)
    },
  }
}
