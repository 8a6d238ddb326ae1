import { RATE_WINDOW } from '../domain/limits.ts'
import type { Clock } from '../domain/time/time.ts'

/** The length of a window in microseconds. */
export const SPAN_US = RATE_WINDOW.seconds * 1_000_000

/**
 * An exact sliding log: the index of its oldest entry, then the times of its last admissions. The rule needs no more of
 * them than it admits in a span, so a log has room for the largest number that it was ever asked for.
 */
export type SlidingLog = number[]

export type RateVerdict = {
  admitted: boolean
  /** Requests that would still be admitted at this moment. */
  remaining: number
  /** Microseconds until the next slot is free. For a refused request, until one would be admitted. */
  resetUs: number
}

/** An empty log with room for `maxRequests` admissions. */
export function newSlidingLog(maxRequests: number): SlidingLog {
  return [0, ...new Array<number>(maxRequests).fill(-Infinity)]
}

/** The log, or a copy with room for `maxRequests` admissions if the log has less. */
export function withRoom(log: SlidingLog, maxRequests: number): SlidingLog {
  const room = log.length - 1
  if (room >= maxRequests) return log
  const oldest = 1 + log[0]!
  const unused = new Array<number>(maxRequests - room).fill(-Infinity)
  return [0, ...unused, ...log.slice(oldest), ...log.slice(1, oldest)]
}

/**
 * Admits a request to a log with room for `maxRequests` and notes it, unless some half-open span would then hold more than
 * `maxRequests` admissions. A refused request leaves no trace. `nowUs` is whole microseconds of a clock that never runs
 * backwards, so `nowUs + resetUs` is exactly the first moment of admission.
 */
export function takeSlot(log: SlidingLog, nowUs: number, maxRequests: number): RateVerdict {
  const waitUs = slotWait(log, nowUs, maxRequests)
  if (waitUs > 0) return { admitted: false, remaining: 0, resetUs: waitUs }
  noteSlot(log, nowUs)
  const expired = nowUs - SPAN_US
  const remaining = countExpired(log, maxRequests, expired)
  return { admitted: true, remaining, resetUs: newest(log, maxRequests - remaining) - expired }
}

/** The log without the newest admission at or before `atUs`. One that the log had to drop has expired. */
export function withoutSlot(log: SlidingLog, atUs: number): SlidingLog {
  const times = log.slice(1).sort((a, b) => a - b)
  const index = times.findLastIndex((time) => time <= atUs)
  return index === -1 ? log : [0, -Infinity, ...times.toSpliced(index, 1)]
}

/** The state of a log, without a request. */
function lookAt(log: SlidingLog, nowUs: number, maxRequests: number): RateVerdict {
  const expired = nowUs - SPAN_US
  const times = log.slice(1).filter((time) => time > expired)
  const [first = expired] = times.sort((a, b) => a - b).slice(-maxRequests)
  const remaining = Math.max(0, maxRequests - times.length)
  return { admitted: false, remaining, resetUs: first - expired }
}

/** How many of the newest `maxRequests` admissions have expired. The newest one has not. They are in the order of time. */
function countExpired(log: SlidingLog, maxRequests: number, expired: number): number {
  let [low, high] = [0, maxRequests - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (newest(log, maxRequests - middle) <= expired) low = middle + 1
    else high = middle
  }
  return low
}

/** The time of the newest admission (1), of the one before it (2), and so on. */
function newest(log: SlidingLog, place: number): number {
  const room = log.length - 1
  return log[1 + ((log[0]! + room - place) % room)]!
}

/** Notes a request that was admitted elsewhere. */
function noteSlot(log: SlidingLog, nowUs: number): void {
  const oldest = log[0]!
  log[1 + oldest] = nowUs
  log[0] = (oldest + 1) % (log.length - 1)
}

/** Microseconds until a log with room for `maxRequests` admits a request. 0 or less: now. */
function slotWait(log: SlidingLog, nowUs: number, maxRequests: number): number {
  return newest(log, maxRequests) - (nowUs - SPAN_US)
}

/** The verdict for a key that has only a share of the window. */
export function lowerOf(window: RateVerdict, share: RateVerdict): RateVerdict {
  if (window.remaining === share.remaining) {
    return { ...share, resetUs: Math.max(window.resetUs, share.resetUs) }
  }
  return window.remaining < share.remaining ? window : share
}

/** The window that a request has to be admitted to. */
export type WindowNeeds = {
  /** The requests that the window of the organization admits. Undefined: the default. */
  windowRequests?: number | undefined
  /** Undefined: the key may use the whole window. */
  share?: WindowShare | undefined
}

/** The part of the organization's window that a key may use: some of its requests. */
export type WindowShare = { readonly key: number; readonly requests: number }

/** Asks for one request of an organization. An admitted request is counted. */
export type RateWindow = { take(organization: number, needs?: WindowNeeds): RateVerdict }

type Noting = {
  /** Counts a request that was admitted elsewhere. */
  note(organization: number, needs?: WindowNeeds): void
  /** Takes back the newest request that was counted at or before `atUs`. Returns the window without it. */
  giveBack(organization: number, needs: WindowNeeds, atUs: number): RateVerdict
}

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
      const window = logOf(windows, organization, windowRequests)
      if (!share) return takeSlot(window, nowUs, windowRequests)
      const keyLog = logOf(shares, share.key, share.requests)
      const waitUs = slotWait(keyLog, nowUs, share.requests)
      if (waitUs > 0) return { admitted: false, remaining: 0, resetUs: waitUs }
      const verdict = takeSlot(window, nowUs, windowRequests)
      return verdict.admitted ? lowerOf(verdict, takeSlot(keyLog, nowUs, share.requests)) : verdict
    },
    note(organization, { windowRequests = RATE_WINDOW.requests, share } = {}) {
      const nowUs = clock.monotonic()
      noteSlot(logOf(windows, organization, windowRequests), nowUs)
      if (share) noteSlot(logOf(shares, share.key, share.requests), nowUs)
    },
    giveBack(organization, { windowRequests = RATE_WINDOW.requests, share }, atUs) {
      const without = (logs: Map<number, SlidingLog>, id: number, maxRequests: number) => {
        const log = withoutSlot(logOf(logs, id, maxRequests), atUs)
        logs.set(id, log)
        return lookAt(log, clock.monotonic(), maxRequests)
      }
      const window = without(windows, organization, windowRequests)
      return share ? lowerOf(window, without(shares, share.key, share.requests)) : window
    },
  }
}

/** The log of an id, with room for `maxRequests` admissions. Adds it if it is missing or too small. */
function logOf(logs: Map<number, SlidingLog>, id: number, maxRequests: number): SlidingLog {
  const known = logs.get(id)
  const log = known === undefined ? newSlidingLog(maxRequests) : withRoom(known, maxRequests)
  if (log !== known) logs.set(id, log)
  return log
}
