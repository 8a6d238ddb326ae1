import {
  type Amounts,
  amountAt,
  type Charge,
  type ChargeVerdict,
  type DailyQuota,
  QuotaUnavailable,
} from './realtime.ts'

export type DeferringQuota = DailyQuota & {
  /** Charges, or resolves to 'unavailable' where `charge` rejects with `QuotaUnavailable`. */
  chargeIfUp(organization: number, charge: Charge): Promise<ChargeVerdict | 'unavailable'>
  /** The organizations with deferred counts that are not written yet. */
  readonly debtors: Pick<ReadonlySet<number>, 'has'>
  /** Writes the deferred counts, as far as the counters can be reached. */
  settle(): void
}

/** Hundredths still to be added, by day and object. Negative hundredths are given back. */
type Debts = Map<number, Map<number, number>>

/**
 * Wraps a daily quota so that calls which no limit can refuse succeed while the counters are down.
 * Charges without a limit and returned amounts are kept, and written before the organization's next call
 * that reaches the counters. A charge against a limit still rejects with `QuotaUnavailable`.
 */
export function deferringQuota(quota: DailyQuota): DeferringQuota {
  const owed = openDebts()
  const settling = new Map<number, Promise<void>>()

  async function writeOwed(organization: number): Promise<void> {
    for (let due = owed.next(organization); due !== undefined; due = owed.next(organization)) {
      const { amounts, sign } = due
      if (sign > 0) await quota.charge(organization, { ...amounts, limit: null })
      else await quota.giveBack(organization, amounts)
      owed.add(organization, amounts, -sign)
    }
    owed.forget(organization)
  }

  function settled(organization: number): Promise<void> | undefined {
    if (!owed.organizations.has(organization)) return undefined
    let attempt = settling.get(organization)
    if (attempt === undefined) {
      attempt = writeOwed(organization).finally(() => settling.delete(organization))
      settling.set(organization, attempt)
    }
    return attempt
  }

  /** `refuse`: the result of a charge with a limit that cannot be counted. */
  async function chargeOr<Refused>(
    organization: number,
    charge: Charge,
    refuse: (error: QuotaUnavailable) => Refused,
  ): Promise<ChargeVerdict | Refused> {
    try {
      const settlement = settled(organization)
      if (settlement !== undefined) await settlement
      return await quota.charge(organization, charge)
    } catch (error) {
      if (!(error instanceof QuotaUnavailable)) throw error
      if (charge.limit !== null) return refuse(error)
      owed.add(organization, charge, 1)
      return { charged: true, used: null }
    }
  }

  return {
    charge: (organization, charge) =>
      chargeOr(organization, charge, (error) => {
        throw error
      }),
    chargeIfUp: (organization, charge) => chargeOr(organization, charge, () => 'unavailable'),
    async giveBack(organization, amounts) {
      try {
        const settlement = settled(organization)
        if (settlement !== undefined) await settlement
        await quota.giveBack(organization, amounts)
      } catch (error) {
        if (!(error instanceof QuotaUnavailable)) throw error
        owed.add(organization, amounts, -1)
      }
    },
    used: quota.used,
    debtors: owed.organizations,
    settle() {
      for (const organization of owed.organizations.keys()) settled(organization)?.catch(() => {})
    },
  }
}

/** The debts of organizations. */
function openDebts() {
  const owed = new Map<number, Debts>()

  return {
    /** `sign`: 1, or -1 for amounts to give back. */
    add(organization: number, amounts: Amounts, sign: number): void {
      const { objects, day } = amounts
      const debts: Debts = owed.get(organization) ?? new Map()
      owed.set(organization, debts)
      const ofDay = debts.get(day) ?? new Map<number, number>()
      debts.set(day, ofDay)
      for (const [i, object] of objects.entries()) {
        const sum = (ofDay.get(object) ?? 0) + sign * amountAt(amounts, i)
        if (sum === 0) ofDay.delete(object)
        else ofDay.set(object, sum)
      }
    },
    /** The next counts that one call can write: those of one day and one sign. */
    next(organization: number) {
      for (const [day, ofDay] of owed.get(organization) ?? []) {
        for (const first of ofDay.values()) {
          const sign = Math.sign(first)
          const due = [...ofDay].filter(([, owed]) => owed * sign > 0)
          const objects = due.map(([object]) => object)
          const hundredths = due.map(([, owed]) => owed * sign)
          return { amounts: { objects, hundredths, day }, sign }
        }
      }
      return undefined
    },
    forget: (organization: number) => owed.delete(organization),
    organizations: owed as Pick<ReadonlyMap<number, Debts>, 'has' | 'keys'>,
  }
}
