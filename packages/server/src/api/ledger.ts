import type { Organization } from '../domain/organization.ts'
import { quotaExhausted, type Refusal } from '../domain/refusal.ts'
import { DAY_MS, utcDay } from '../domain/time.ts'
import type { Charge, ChargeVerdict, DailyQuota } from '../realtime/realtime.ts'

/** The charge of a request: 1 to each of the distinct objects, all or none. */
export type Due = {
  objects: readonly number[]
  /** Whether an exhausted quota refuses the request. If not, it counts whatever the limit is. */
  isLimited: boolean
}

/** The charge of one request to its objects' daily quota, for its headers and for giving it back. */
export type Ledger = {
  charge(due: Due): Charge
  /** Notes the verdict: charged, or refused because an object has nothing left. */
  enter(due: Due, verdict: ChargeVerdict): Refusal | undefined
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

/** `now`: milliseconds since the epoch. It decides which UTC day is charged. */
export function openLedger(quota: DailyQuota, organization: Organization, now: number): Ledger {
  const day = utcDay(now)
  const { id, dailyQuota: limit } = organization
  let charged: readonly number[] = []
  /** The highest counter, if known. */
  let used: number | null = null
  let exhausted: readonly number[] = []

  return {
    charge: ({ objects, isLimited }) => ({ objects, limit: isLimited ? limit : null, day }),
    enter({ objects }, verdict) {
      if (!verdict.charged) {
        used = limit
        exhausted = verdict.exhausted
        return quotaExhausted(exhausted)
      }
      charged = objects
      used = verdict.used
      return undefined
    },
    async giveBack() {
      if (charged.length > 0) await quota.giveBack(id, charged, day)
      charged = []
      used = null
    },
    headers() {
      if (limit === null || used === null) return []
      const reset = String(Math.ceil(((day + 1) * DAY_MS - now) / 1000))
      const headers = [
        'X-Quota-Limit',
        String(limit),
        'X-Quota-Remaining',
        String(Math.max(0, limit - used)),
        'X-Quota-Reset',
        reset,
      ]
      if (exhausted.length > 0) {
        const ids = exhausted.slice(0, MAX_IN_HEADER).join()
        headers.push('Retry-After', reset, 'X-Quota-Exhausted', ids)
      }
      return headers
    },
  }
}
