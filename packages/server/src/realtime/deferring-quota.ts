import { type DailyQuota, QuotaUnavailable } from './realtime.ts'

export type DeferringQuota = DailyQuota & {
  /** Whether the organization has deferred counts that are not written yet. */
  owes(organization: number): boolean
  /** Writes the deferred counts, as far as the counters can be reached. */
  settle(): void
}

/** Amounts still to be added, by day and object. A negative amount is given back. */
type Debts = Map<number, Map<number, number>>

/**
 * Wraps a daily quota so that calls which no limit can refuse succeed while the counters are down.
 * Charges without a limit and returned units are kept, and written before the organization's next call
 * that reaches the counters. A charge against a limit still rejects with `QuotaUnavailable`.
 */
export function deferringQuota(quota: DailyQuota): DeferringQuota {
  const owed = new Map<number, Debts>()
  const settling = new Map<number, Promise<void>>()

  function owe(organization: number, objects: readonly number[], day: number, times: number): void {
    const debts: Debts = owed.get(organization) ?? new Map()
    owed.set(organization, debts)
    const ofDay = debts.get(day) ?? new Map<number, number>()
    debts.set(day, ofDay)
    for (const object of objects) {
      const sum = (ofDay.get(object) ?? 0) + times
      if (sum === 0) ofDay.delete(object)
      else ofDay.set(object, sum)
    }
  }

  async function makeUp(organization: number): Promise<void> {
    for (let due = next(organization); due !== undefined; due = next(organization)) {
      const { day, objects, sign } = due
      if (sign > 0) await quota.charge(organization, { objects, limit: null, day })
      else await quota.giveBack(organization, objects, day)
      owe(organization, objects, day, -sign)
    }
    owed.delete(organization)
  }

  /** Counts written per call. */
  function next(organization: number) {
    for (const [day, ofDay] of owed.get(organization) ?? []) {
      for (const times of ofDay.values()) {
        const sign = Math.sign(times)
        const objects = [...ofDay.keys()].filter((object) => ofDay.get(object)! * sign > 0)
        return { day, objects, sign }
      }
    }
    return undefined
  }

  function settled(organization: number): Promise<void> | undefined {
    if (!owed.has(organization)) return undefined
    let made = settling.get(organization)
    if (made === undefined) {
      made = makeUp(organization).finally(() => settling.delete(organization))
      settling.set(organization, made)
    }
    return made
  }

  return {
    async charge(organization, charge) {
      try {
        const settlement = settled(organization)
        if (settlement !== undefined) await settlement
        return await quota.charge(organization, charge)
      } catch (error) {
        if (charge.limit !== null || !(error instanceof QuotaUnavailable)) throw error
        owe(organization, charge.objects, charge.day, 1)
        return { charged: true, used: null }
      }
    },
    async giveBack(organization, objects, day) {
      try {
        const settlement = settled(organization)
        if (settlement !== undefined) await settlement
        await quota.giveBack(organization, objects, day)
      } catch (error) {
        if (!(error instanceof QuotaUnavailable)) throw error
        owe(organization, objects, day, -1)
      }
    },
    used: quota.used,
    owes: (organization) => owed.has(organization),
    settle() {
      for (const organization of owed.keys()) settled(organization)?.catch(() => {})
    },
  }
}
