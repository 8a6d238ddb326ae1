/** Hundredths of a unit by object: a page of history costs a unit, an entry of the change log a hundredth. */
export type Amounts = ReadonlyMap<number, number>

type Charge = { day: number; amounts: Amounts }

/**
 * The charges of the daily quota, one by one. `journalBytes`: the length of the journal at the acknowledgement,
 * which shows the charges that a power cut has taken.
 */
export type QuotaModel = {
  charges: (Charge & { journalBytes: number })[]
  /** Acknowledged while the counters could not be written: this process charges them later. */
  owed: (Charge & { organization: number })[]
}

export const UNIT = 100

export function newQuota(): QuotaModel {
  return { charges: [], owed: [] }
}

/** A unit for each object. */
export function unitsOf(objects: readonly number[]): Amounts {
  return new Map(objects.map((object) => [object, UNIT]))
}

/** The hundredths that an object was charged on a day. */
export function countOf(quota: QuotaModel, object: number, day: number): number {
  const charged = quota.charges.filter((charge) => charge.day === day)
  return charged.reduce((sum, { amounts }) => sum + (amounts.get(object) ?? 0), 0)
}

/** Deferred charges of an organization are written before its next charge with working counters. */
export function settle(quota: QuotaModel, organization: number): void {
  const due = quota.owed.filter((each) => each.organization === organization)
  quota.owed = quota.owed.filter((each) => each.organization !== organization)
  for (const { day, amounts } of due) quota.charges.push({ day, amounts, journalBytes: 0 })
}
