import type { Organization } from '../domain/organization.ts'
import { quotaExhausted, type Refusal } from '../domain/refusal.ts'
import { DAY_MS, utcDay } from '../domain/time.ts'
import type { DailyQuota } from '../realtime/realtime.ts'

/** What one request charges to its objects' daily quota, so that it can be told and given back. */
export type Ledger = {
  /** Charges 1 to each of the distinct objects, or refuses the whole call and charges nobody. */
  charge(objects: number[]): Promise<Refusal | undefined>
  /** Adds 1 to an object's counter and refuses nothing. */
  count(object: number): Promise<void>
  /** For an answer that failed before its first byte. */
  giveBack(): Promise<void>
  /** `X-Quota-*` as name, value, name, value; empty where nothing was charged against a limit. */
  headers(): string[]
}

/** `now`: milliseconds since the epoch; it decides the UTC day that is charged. */
export function openLedger(quota: DailyQuota, organization: Organization, now: number): Ledger {
  const day = utcDay(now)
  const { id, dailyQuota: limit } = organization
  let charged: number[] = []
  /** The highest count, where it is known. */
  let used: number | null = null

  return {
    async charge(objects) {
      const verdict = await quota.charge(id, objects, limit, day)
      if (!verdict.charged) return quotaExhausted(verdict.exhausted)
      charged = objects
      used = verdict.used
      return undefined
    },
    async count(object) {
      used = await quota.count(id, object, day)
      charged = [object]
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
