import { RATE_WINDOW, type RateVerdict } from '../access/rate-window.ts'
import type { Organization } from '../domain/organization.ts'
import { HUNDREDTHS_PER_UNIT, wholeUnits } from '../domain/quota-count.ts'
import type { Clock } from '../domain/time/clock.ts'
import { DAY_MS, utcDay } from '../domain/time/time.ts'
import type { Amounts, Charge, ChargeVerdict, DailyQuota, Exhausted } from '../realtime/realtime.ts'
import { quotaExhausted, type Refusal } from './refusal.ts'

const SECOND_US = 1_000_000
/** By the requests that a window admits. */
const LIMITS = Array.from({ length: RATE_WINDOW.requests + 1 }, (_, requests) => ({
  limit: String(requests),
  policy: `"default";q=${requests};w=${RATE_WINDOW.spanUs / SECOND_US}`,
}))

/**
 * The rate window in the headers of an authenticated answer: `X-RateLimit-*`, which most clients know,
 * and the IETF's `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). As name,
 * value, name, value. `share`: the requests of the window that the key may use; null: all.
 */
export function rateHeaders(
  { remaining, resetUs }: RateVerdict,
  share: number | null = null,
): string[] {
  const { limit, policy } = LIMITS[share ?? RATE_WINDOW.requests]!
  const reset = wholeSeconds(resetUs)
  return [
    'X-RateLimit-Limit',
    limit,
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
    'RateLimit-Policy',
    policy,
    'RateLimit',
    `"default";r=${remaining};t=${reset}`,
  ]
}

/** A wait in whole seconds, rounded up, so that a client that waits this long is admitted. */
export function wholeSeconds(waitUs: number): number {
  return Math.ceil(waitUs / SECOND_US)
}

/** Seconds until the quota is renewed at 00:00 UTC, rounded up. */
export function secondsOfDay(now: number): number {
  return Math.ceil(((utcDay(now) + 1) * DAY_MS - now) / 1000)
}

/** The charge of a request: the amounts of the distinct objects, all or none. */
export type Due = Omit<Amounts, 'day'> & {
  /** The rows that the answer shows of each. Without it one. */
  rows?: readonly number[]
  /** Whether an exhausted quota refuses the request. If not, it counts whatever the limit is. */
  isLimited: boolean
}

/** Charges the amounts of the objects, all or none. Undefined if they are charged. */
export type ChargeLater = (due: Due) => Promise<ChargeRefused | undefined>
export type ChargeRefused = Exhausted & { refusal: Refusal }

/** The charge of one request to its objects' daily quota, for its headers and for giving it back. */
export type Ledger = {
  charge(due: Due): Charge
  /** Notes the verdict: charged, or refused because an object has too little left. */
  enter(due: Due, verdict: ChargeVerdict): Refusal | undefined
  /** Charges after reading. */
  readonly chargeLater: ChargeLater
  /** The newest charge, if it was not given back: the objects that the answer shows. */
  charged(): Due | null
  /** For an answer that failed before its first byte. */
  giveBack(): Promise<void>
  /**
   * `X-Quota-*` as name, value, name, value, with `Retry-After` if the quota refused the request. Empty if
   * nothing was to be charged against a limit.
   */
  headers(): string[]
}

/** The message names all of them. Proxies accept at least 4 KiB of headers. */
const MAX_IN_HEADER = 100

/** The objects whose quota is exhausted, as name, value. */
export function exhaustedHeader(objects: readonly number[]): [name: string, value: string] {
  return ['X-Quota-Exhausted', objects.slice(0, MAX_IN_HEADER).join()]
}

/** `clock` decides which UTC day is charged: the one of the request, or for `chargeLater` that of the charge. */
export function openLedger(
  quota: DailyQuota,
  organization: Organization,
  clock: Pick<Clock, 'now'>,
): Ledger {
  let now = clock.now()
  const { id, dailyQuota: limit } = organization
  let charged: Due | null = null
  /** The hundredths of the highest counter, if known. */
  let used: number | null = null
  let exhausted: readonly number[] = []

  function chargeOf({ isLimited, rows: _, ...amounts }: Due): Charge {
    return { ...amounts, limit: isLimited ? limit : null, day: utcDay(now) }
  }

  function enter(due: Due, verdict: ChargeVerdict): Refusal | undefined {
    if (!verdict.charged) {
      // A spread of a whole fleet would be too many arguments.
      const least = verdict.left.reduce((most, each) => Math.min(most, each))
      used = limit! * HUNDREDTHS_PER_UNIT - least
      exhausted = verdict.exhausted
      return quotaExhausted(exhausted)
    }
    charged = due
    exhausted = []
    used = verdict.used
    return undefined
  }

  return {
    charge: chargeOf,
    enter,
    async chargeLater(due) {
      // A request may have been held over midnight.
      now = clock.now()
      const verdict = await quota.charge(id, chargeOf(due))
      const refusal = enter(due, verdict)
      return verdict.charged || refusal === undefined ? undefined : { refusal, ...verdict }
    },
    charged: () => charged,
    async giveBack() {
      if (charged !== null) await quota.giveBack(id, chargeOf(charged))
      charged = null
      used = null
    },
    headers() {
      if (limit === null || used === null) return []
      const reset = String(secondsOfDay(now))
      const headers = [
        'X-Quota-Limit',
        String(limit),
        'X-Quota-Remaining',
        String(Math.max(0, limit - wholeUnits(used))),
        'X-Quota-Reset',
        reset,
      ]
      if (exhausted.length > 0) {
        headers.push('Retry-After', reset, ...exhaustedHeader(exhausted))
      }
      return headers
    },
  }
}
