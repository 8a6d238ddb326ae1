import type { Organization } from '../domain/organization.ts'
import { quotaExhausted, type Refusal } from '../domain/refusal.ts'
import { DAY_MS, utcDay } from '../domain/time.ts'
import type { Charge, ChargeVerdict, DailyQuota } from '../realtime/realtime.ts'

/** What a request is to be charged for: 1 to each of the distinct objects, all or none. */
export type Due = {
  objects: readonly number[]
  /** Whether an exhausted quota refuses it; otherwise it counts whatever the limit. */
  isLimited: boolean
}

/** What one request has charged to its objects' daily quota, so that it can be told and given back. */
export type Ledger = {
  charge(due: Due): Charge
  /** Notes what came of it: refused, where one of the objects has nothing left. */
  enter(due: Due, verdict: ChargeVerdict): Refusal | undefined
  /** For an answer that failed before its first byte. */
  giveBack(): Promise<void>
  /** `X-Quota-*` as name, value, name, value; empty where nothing was charged against a limit. */
  headers(): string[]
}

/** `now`: milliseconds since the epoch; it decides the UTC day that is charged. */
export function openLedger(quota: DailyQuota, organization: Organization, now: number): Ledger {
  const day = utcDay(now)
  const { id, dailyQuota: limit } = organization
  let charged: readonly number[] = []
  /** The highest count, where it is known. */
  let used: number | null = null

  return {
    charge: ({ objects, isLimited }) => ({ objects, limit: isLimited ? limit : null, day }),
    enter({ objects }, verdict) {
      if (!verdict.charged) return quotaExhausted(verdict.exhausted)
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
      return [
        'X-Quota-Limit',
        String(limit),
        'X-Quota-Remaining',
        String(Math.max(0, limit - used)),
        'X-Quota-Reset',
        String(Math.ceil(((day + 1) * DAY_MS - now) / 1000)),
      ]
    },
  }
}
