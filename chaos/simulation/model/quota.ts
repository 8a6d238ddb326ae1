/**
 * What of the daily quota was charged, charge by charge. `journalBytes`: how long the journal was when
 * it was acknowledged, so that it is known which a power cut has taken.
 */
export type QuotaModel = {
  charges: { day: number; objects: number[]; journalBytes: number }[]
  /** Acknowledged while the counters could not be written: made up for later, by this very process. */
  owed: { organization: number; day: number; objects: number[] }[]
}

export function newQuota(): QuotaModel {
  return { charges: [], owed: [] }
}

export function countOf(quota: QuotaModel, object: number, day: number): number {
  const isOne = (charge: { day: number; objects: number[] }) =>
    charge.day === day && charge.objects.includes(object)
  return quota.charges.filter(isOne).length
}

/** What is owed to an organization is made up for before its next charge that finds the counters up. */
export function settle(quota: QuotaModel, organization: number): void {
  const due = quota.owed.filter((each) => each.organization === organization)
  quota.owed = quota.owed.filter((each) => each.organization !== organization)
  for (const { day, objects } of due) quota.charges.push({ day, objects, journalBytes: 0 })
}
