import type { Clock } from './clock.ts'

/** The window's state in an answer. */
export type ReportedWindow = {
  /** The requests of a window, and its length. */
  limit: number
  spanMs: number
  /** Requests that would still have been admitted. */
  remaining: number
}

/** A request's place in the window. */
export type Slot = {
  /** Call once, with the window's state if the answer has it, or after a failure. */
  answered(reported?: ReportedWindow): void
  /**
   * Call instead of `answered` if the server refused the request. It was not counted, and a place is free
   * in `waitMs`.
   */
  refused(waitMs: number): void
  /** Call instead of `answered` if the request was refused although there was room. It was not counted. */
  returned(): void
}

export type RequestWindow = {
  /**
   * Resolves when a request may be sent. Rejects with the signal's reason. Requests go in the order of
   * calls, but one that was refused before (`again`) goes first.
   */
  slot(signal?: AbortSignal, again?: boolean): Promise<Slot>
  /** Stops all requests for this long: the server refused one. */
  hold(ms: number): void
}

/** The contract's limit: 10 requests of an organization in 10 seconds. */
const DEFAULT = { limit: 10, spanMs: 10_000 }
/** Tolerance for two clocks that drift within a window, and for early timers. */
const MARGIN_MS = 5
/**
 * The server admits requests in the order in which they come. A busy client that reused each place at once
 * would keep other programs out. So it leaves one place in ten free for this long: another program comes up
 * to 1 s late, because `Retry-After` is in whole seconds, and its random pause comes on top.
 */
const GIVE_WAY_MS = 1_500
const GIVE_WAY_EVERY = 10

type Waiting = { grant(): void }

/**
 * Keeps a client under its organization's window. The server admits a request at some moment between its
 * sending and its answer. The client takes the place as free one window after the answer came, which is
 * never too early, and late by the time of one answer at most.
 *
 * Other programs may use the same window. If the server reports fewer places left than this client leaves,
 * the difference is theirs. It counts until another answer corrects it or a window has passed.
 */
export function requestWindow(clock: Clock): RequestWindow {
  const waiting: Waiting[] = []
  const places = takenPlaces(() => waiting.length > 0)
  let disarm: (() => void) | undefined

  function grantWhatFits(): void {
    disarm?.()
    disarm = undefined
    for (let now = clock.now(); waiting.length > 0; now = clock.now()) {
      if (!places.isFree(now)) {
        const at = places.nextChange(now)
        // Never, if all requests that fit are under way: their answers come first.
        if (Number.isFinite(at)) disarm = clock.after(Math.max(1, at - now), grantWhatFits)
        return
      }
      places.take()
      waiting.shift()!.grant()
    }
  }

  function newSlot(): Slot {
    let isOpen = true
    return {
      answered(reported) {
        if (!isOpen) return
        isOpen = false
        places.answered(reported, clock.now())
        grantWhatFits()
      },
      refused(waitMs) {
        if (!isOpen) return
        isOpen = false
        places.refused(waitMs, clock.now())
        grantWhatFits()
      },
      returned() {
        if (!isOpen) return
        isOpen = false
        places.returned()
        grantWhatFits()
      },
    }
  }

  return {
    slot(signal, again = false) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const leave = () => {
          waiting.splice(waiting.indexOf(own), 1)
          reject(signal!.reason)
        }
        const own: Waiting = {
          grant() {
            signal?.removeEventListener('abort', leave)
            resolve(newSlot())
          },
        }
        signal?.addEventListener('abort', leave, { once: true })
        if (again) waiting.unshift(own)
        else waiting.push(own)
        grantWhatFits()
      })
    },
    hold(ms) {
      places.hold(clock.now() + ms)
      grantWhatFits()
    },
  }
}

/** The requests that count in the window, as far as the client knows. `isAwaited`: whether requests wait for one. */
function takenPlaces(isAwaited: () => boolean) {
  let { limit, spanMs } = DEFAULT
  let inFlight = 0
  /** The times of the answers that still count, oldest first. */
  const answeredAt: number[] = []
  let others = { count: 0, until: 0 }
  let heldUntil = 0
  let freed = 0
  let givesWayUntil = 0

  function forget(now: number): void {
    while (answeredAt.length > 0 && answeredAt[0]! + spanMs + MARGIN_MS <= now) {
      answeredAt.shift()
      freed += 1
      if (freed % GIVE_WAY_EVERY === 0 && isAwaited()) givesWayUntil = now + GIVE_WAY_MS
    }
  }

  function used(now: number): number {
    forget(now)
    const ofOthers = others.until > now ? others.count : 0
    return inFlight + answeredAt.length + ofOthers + (givesWayUntil > now ? 1 : 0)
  }

  function heed(reported: ReportedWindow, now: number): void {
    limit = reported.limit
    spanMs = reported.spanMs
    forget(now)
    // Leave out the requests under way: the server may not have admitted them when it answered.
    const unknown = reported.limit - reported.remaining - answeredAt.length
    others = { count: Math.max(0, unknown), until: now + spanMs + MARGIN_MS }
  }

  return {
    isFree: (now: number): boolean => heldUntil <= now && used(now) < limit,
    /** When a place may be free, if no answer comes before. */
    nextChange(now: number): number {
      if (heldUntil > now) return heldUntil
      const oldest = answeredAt[0]
      const times = [others.until, givesWayUntil].filter((until) => until > now)
      if (oldest !== undefined) times.push(oldest + spanMs + MARGIN_MS)
      return times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY)
    },
    take(): void {
      inFlight += 1
    },
    answered(reported: ReportedWindow | undefined, now: number): void {
      inFlight -= 1
      answeredAt.push(now)
      if (reported !== undefined) heed(reported, now)
    },
    returned(): void {
      inFlight -= 1
    },
    refused(waitMs: number, now: number): void {
      inFlight -= 1
      forget(now)
      heldUntil = Math.max(heldUntil, now + waitMs)
      // Others fill the window, except the one place that the server reports.
      others = { count: Math.max(0, limit - 1 - answeredAt.length), until: heldUntil + spanMs }
    },
    hold(until: number): void {
      heldUntil = Math.max(heldUntil, until)
    },
  }
}

const POLICY = /;\s*q=(\d+)\s*;\s*w=(\d+)/
const REMAINING = /;\s*r=(\d+)/

/** Reads `RateLimit-Policy` and `RateLimit` of an answer (draft-ietf-httpapi-ratelimit-headers). */
export function reportedWindow(headers: Headers): ReportedWindow | undefined {
  const policy = POLICY.exec(headers.get('ratelimit-policy') ?? '')
  const remaining = REMAINING.exec(headers.get('ratelimit') ?? '')
  if (policy === null || remaining === null) return undefined
  return {
    limit: Number(policy[1]),
    spanMs: Number(policy[2]) * 1000,
    remaining: Number(remaining[1]),
  }
}
