import {
  lowerOf,
  newSlidingLog,
  noteSlot,
  type RateVerdict,
  type SlidingLog,
  slotWait,
  takeSlot,
  withRoom,
} from '../../access/sliding-log.ts'
import { RATE_WINDOW } from '../../domain/limits.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { WindowNeeds } from '../realtime.ts'

/** Asks for one request of an organization. An admitted request is counted. */
export type RateWindow = { take(organization: number, needs?: WindowNeeds): RateVerdict }

/** Counts a request that was admitted elsewhere. */
type Noting = { note(organization: number, needs?: WindowNeeds): void }

/**
 * The rate window of one process. An organization that has asked once keeps its log, so that no sweep and no check for
 * expiry is needed. A key with a share has a log too.
 */
export function memoryRateWindow(clock: Clock): RateWindow & Noting {
  const windows = new Map<number, SlidingLog>()
  const shares = new Map<number, SlidingLog>()

  return {
    take(organization, { windowRequests = RATE_WINDOW.requests, share } = {}) {
      const nowUs = clock.monotonic()
      const window = logIn(windows, organization, windowRequests)
      if (!share) return takeSlot(window, nowUs, windowRequests)
      const ofKey = logIn(shares, share.key, share.requests)
      const waitUs = slotWait(ofKey, nowUs, share.requests)
      if (waitUs > 0) return { admitted: false, remaining: 0, resetUs: waitUs }
      const verdict = takeSlot(window, nowUs, windowRequests)
      return verdict.admitted ? lowerOf(verdict, takeSlot(ofKey, nowUs, share.requests)) : verdict
    },
    note(organization, { windowRequests = RATE_WINDOW.requests, share } = {}) {
      const nowUs = clock.monotonic()
      noteSlot(logIn(windows, organization, windowRequests), nowUs)
      if (share) noteSlot(logIn(shares, share.key, share.requests), nowUs)
    },
  }
}

/** The log of an id, with room for `most` admissions. */
function logIn(logs: Map<number, SlidingLog>, id: number, most: number): SlidingLog {
  const known = logs.get(id)
  const log = known === undefined ? newSlidingLog(most) : withRoom(known, most)
  if (log !== known) logs.set(id, log)
  return log
}
