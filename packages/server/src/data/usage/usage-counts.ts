import type { UsageCount } from '../../base/domain/credential.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { UsageStore } from '../../engine/store/audit-store.ts'
import { type CountForm, openDayCounts } from './day-counts.ts'

/** The facts of an answered request that had a valid key. */
type CountedRequest = {
  organization: number | undefined
  key: number | undefined
  operation: string
  status: number
}

/** Counts answers by key, operation and status in memory, and adds them to the store a moment later. */
export type UsageCounts = {
  /** Takes tens of nanoseconds. Requests without a key are not counted. */
  count(request: CountedRequest): void
  /** The counts of a key in a closed range of days, with those that are not stored yet. */
  ofKey(organization: number, key: number, from: number, to: number): Promise<UsageCount[]>
  /** Adds the counts to the store. Counts that could not be written are kept for the next time. */
  write(): Promise<void>
}

type Tally = { readonly operation: string; readonly status: number; requests: number }
/** There are few, so a scan costs less than a look-up of each. */
type Tallies = Tally[]

const FORM: CountForm<Tallies, UsageCount> = {
  none: () => [],
  keyOf: ({ key }) => key,
  add: (tallies, { operation, status, requests }) => add(tallies, operation, status, requests),
  countsOf: (tallies, ofKey) => tallies.map((tally) => ({ ...ofKey, ...tally })),
}

export function openUsageCounts(store: UsageStore, clock: Clock): UsageCounts {
  const counts = openDayCounts(store, clock, FORM)
  return {
    count({ organization, key, operation, status }) {
      if (organization === undefined || key === undefined) return
      add(counts.ofKey(organization, key), operation, status, 1)
    },
    write: counts.write,
    ofKey: (organization, key, from, to) =>
      counts.withUnstored(async (unstored) => {
        const stored = await store.list(organization, from, to, key)
        const counted = unstored.filter(
          (each) => each.key === key && each.day >= from && each.day <= to,
        )
        return summed([...stored, ...counted])
      }),
  }
}

function add(tallies: Tallies, operation: string, status: number, requests: number): void {
  const same = tallies.find((each) => each.operation === operation && each.status === status)
  if (same === undefined) tallies.push({ operation, status, requests })
  else same.requests += requests
}

/** One count for each day, operation and status of a key, in this order. */
function summed(counts: readonly UsageCount[]): UsageCount[] {
  const sums = new Map<string, UsageCount>()
  for (const each of counts) {
    const name = `${each.day} ${each.operation} ${each.status}`
    const { requests } = sums.get(name) ?? { requests: 0 }
    sums.set(name, { ...each, requests: requests + each.requests })
  }
  return [...sums.values()].sort(
    (a, b) =>
      a.day - b.day ||
      (a.operation < b.operation ? -1 : a.operation > b.operation ? 1 : a.status - b.status),
  )
}
