import { type DailyQuota, QuotaUnavailable } from './realtime.ts'

/** What is yet to be added to one counter; below zero, to be given back. */
type Debt = { organization: number; object: number; day: number; times: number }

/**
 * A daily quota that goes on while its counters are down, for what no limit can refuse: a
 * charge without a limit and a return are kept, and made up for before the next call that finds the
 * counters up. A charge against a limit rejects with `QuotaUnavailable` as before.
 */
export function deferringQuota(quota: DailyQuota): DailyQuota {
  const debts = new Map<string, Debt>()
  let settling: Promise<void> | undefined

  function owe(organization: number, objects: readonly number[], day: number, times: number): void {
    for (const object of objects) {
      const counter = `${organization} ${day} ${object}`
      const debt = debts.get(counter) ?? { organization, object, day, times: 0 }
      debt.times += times
      debts.set(counter, debt)
    }
  }

  async function settle(): Promise<void> {
    for (const [counter, debt] of debts) {
      const { organization, object, day } = debt
      while (debt.times > 0) {
        await quota.charge(organization, { objects: [object], limit: null, day })
        debt.times--
      }
      while (debt.times < 0) {
        await quota.giveBack(organization, [object], day)
        debt.times++
      }
      debts.delete(counter)
    }
  }

  function whenSettled<T>(ask: () => Promise<T>): Promise<T> {
    if (debts.size === 0) return ask()
    settling ??= settle().finally(() => {
      settling = undefined
    })
    return settling.then(ask)
  }

  /** What is asked, or `kept` once it is noted as owed. */
  function orKept<T, Kept>(ask: () => Promise<T>, kept: Kept, note: () => void): Promise<T | Kept> {
    return whenSettled(ask).catch((error) => {
      if (!(error instanceof QuotaUnavailable)) throw error
      note()
      return kept
    })
  }

  return {
    charge(organization, charge) {
      const ask = () => quota.charge(organization, charge)
      if (charge.limit !== null) return whenSettled(ask)
      const kept = { charged: true, used: null } as const
      return orKept(ask, kept, () => owe(organization, charge.objects, charge.day, 1))
    },
    giveBack(organization, objects, day) {
      const ask = () => quota.giveBack(organization, objects, day)
      return orKept(ask, undefined, () => owe(organization, objects, day, -1))
    },
  }
}
