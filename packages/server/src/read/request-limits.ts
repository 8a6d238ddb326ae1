import type { RateVerdict } from '../base/access/sliding-log.ts'
import { addAll } from '../base/domain/common/any-number.ts'
import type { KeyScope } from '../base/domain/key-scope.ts'
import { HUNDREDTHS_PER_UNIT, RATE_WINDOW, wholeUnits } from '../base/domain/limits.ts'
import type { Organization } from '../base/domain/organization.ts'
import { type Clock, DAY_MS, utcDay } from '../base/domain/time/time.ts'
import type { Charge, ChargeVerdict, DailyQuota, Exhausted } from '../data/live/realtime.ts'
import { quotaExhausted, type Refusal } from './refusal.ts'

const SECOND_US = 1_000_000

/** The requests in a window that a key may use: those of its organization, or its share if that is lower. */
export function windowLimit(
  { windowRequests }: Pick<Organization, 'windowRequests'>,
  scope: KeyScope | null,
): number {
  return Math.min(windowRequests, scope?.windowShare ?? windowRequests)
}

/**
 * The rate window in the headers of an authenticated answer: `X-RateLimit-*`, which most clients know,
 * and the IETF's `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). As name,
 * value, name, value. `limit`: the requests in a window that the key may use.
 */
export function rateHeaders({ remaining, resetUs }: RateVerdict, limit: number): string[] {
  const reset = wholeSeconds(resetUs)
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
    'RateLimit-Policy',
    ratePolicy(limit),
    'RateLimit',
    `"default";r=${remaining};t=${reset}`,
  ]
}

/** The value of `RateLimit-Policy`. */
export function ratePolicy(limit: number): string {
  return `"default";q=${limit};w=${RATE_WINDOW.seconds}`
}

/** A wait in whole seconds, rounded up, so that a client that waits this long is admitted. */
export function wholeSeconds(waitUs: number): number {
  return Math.ceil(waitUs / SECOND_US)
}

/** Seconds until the quota is renewed at 00:00 UTC, rounded up. */
export function secondsOfDay(now: number): number {
  return Math.ceil(((utcDay(now) + 1) * DAY_MS - now) / 1000)
}

/**
 * The charge of a request: the amounts of the distinct objects, all or none. With a limit, each of
 * `ableToPay`, which may name charged objects again, must have a unit left.
 */
export type Due = Omit<Charge, 'day' | 'limit'> & {
  /** The rows that the answer shows of each object. Default: one. */
  rows?: readonly number[]
  /** Whether an exhausted quota refuses the request. If not, the request is counted even above the limit. */
  isLimited: boolean
}

/** Charges the amounts of the objects, all or none. Undefined if they are charged. */
export type ChargeLater = (due: Due) => Promise<ChargeRefused | undefined>
export type ChargeRefused = Exhausted & { refusal: Refusal }

/** The message of a refusal names all ids, the header only these: some proxies take only 4 KiB of headers. */
const MAX_IN_HEADER = 100

/** The objects whose quota is exhausted, as name, value. */
export function exhaustedHeader(objects: readonly number[]): [name: string, value: string] {
  return ['X-Quota-Exhausted', objects.slice(0, MAX_IN_HEADER).join()]
}

/** The charge of one request to its objects' daily quota, for its headers and for giving it back. */
export class Ledger {
  readonly #quota: DailyQuota
  readonly #organization: Organization
  readonly #clock: Pick<Clock, 'now'>
  /** Milliseconds since the epoch. Their UTC day is charged: that of the request, or that of a later charge. */
  #now: number
  #newest: Due | null = null
  /** The hundredths of the highest counter, if known. */
  #used: number | null = null
  #exhausted: readonly number[] = []

  constructor(quota: DailyQuota, organization: Organization, clock: Pick<Clock, 'now'>) {
    this.#quota = quota
    this.#organization = organization
    this.#clock = clock
    this.#now = clock.now()
  }

  /** The charge to ask the quota for. Null: there is nothing to charge. */
  chargeFor({ objects, hundredths, ableToPay, isLimited }: Due): Charge | null {
    const limit = isLimited ? this.#organization.dailyQuota : null
    const others = limit === null ? [] : without(ableToPay ?? [], objects)
    if (objects.length === 0 && others.length === 0) return null
    const charge: Charge = { objects, limit, day: utcDay(this.#now) }
    if (hundredths !== undefined) charge.hundredths = hundredths
    if (others.length > 0) charge.ableToPay = others
    return charge
  }

  /** Notes the verdict: charged, or refused because an object has too little left. */
  enter(due: Due, verdict: ChargeVerdict): Refusal | undefined {
    if (!verdict.charged) {
      // A whole fleet would be too many arguments for Math.min.
      const least = verdict.left.reduce((a, b) => Math.min(a, b))
      this.#used = this.#organization.dailyQuota! * HUNDREDTHS_PER_UNIT - least
      this.#exhausted = verdict.exhausted
      return quotaExhausted(this.#exhausted)
    }
    this.#newest = due
    this.#exhausted = []
    this.#used = verdict.used
    return undefined
  }

  /** Charges after reading. */
  async chargeLater(due: Due): Promise<ChargeRefused | undefined> {
    // A request may have been held over midnight.
    this.#now = this.#clock.now()
    const charge = this.chargeFor(due)
    if (charge === null) return undefined
    const verdict = await this.#quota.charge(this.#organization.id, charge)
    const refusal = this.enter(due, verdict)
    return verdict.charged || refusal === undefined ? undefined : { refusal, ...verdict }
  }

  /** The newest charge, if it was not given back: the objects that the answer shows. */
  charged(): Due | null {
    return this.#newest
  }

  /** For an answer that failed before its first byte. */
  async giveBack(): Promise<void> {
    const charge = this.#newest && this.chargeFor(this.#newest)
    if (charge !== null) await this.#quota.giveBack(this.#organization.id, charge)
    this.#newest = null
    this.#used = null
  }

  /**
   * `X-Quota-*` as name, value, name, value, with `Retry-After` if the quota refused the request. Empty if
   * nothing was to be charged against a limit.
   */
  headers(): string[] {
    const limit = this.#organization.dailyQuota
    if (limit === null || this.#used === null) return []
    const reset = String(secondsOfDay(this.#now))
    const headers = [
      'X-Quota-Limit',
      String(limit),
      'X-Quota-Remaining',
      String(Math.max(0, limit - wholeUnits(this.#used))),
      'X-Quota-Reset',
      reset,
    ]
    if (this.#exhausted.length > 0) {
      headers.push('Retry-After', reset)
      addAll(headers, exhaustedHeader(this.#exhausted))
    }
    return headers
  }
}

function without(objects: readonly number[], others: readonly number[]): readonly number[] {
  if (others.length === 0) return objects
  const excluded = new Set(others)
  return objects.filter((object) => !excluded.has(object))
}
