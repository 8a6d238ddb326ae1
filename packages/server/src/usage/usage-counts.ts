import { type IdMap, idMap } from '../domain/id-map.ts'
import type { Clock } from '../domain/time/clock.ts'
import { utcDay } from '../domain/time/time.ts'
import type { UsageCount } from '../domain/usage.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { UsageStore } from '../store/usage-store.ts'

/** The facts of an answered request that had a valid key. */
export type CountedRequest = {
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

/** There are few, so a scan costs less than a look-up of each. */
type OfKey = { organization: number; tallies: Tally[] }
type Tally = { readonly operation: string; readonly status: number; requests: number }
type OfDay = { day: number; byKey: IdMap<OfKey> }

export function openUsageCounts(store: UsageStore, clock: Clock): UsageCounts {
  let today: OfDay = { day: utcDay(clock.now()), byKey: idMap() }
  /** Counts of past days, and counts that could not be written. */
  let waiting: UsageCount[] = []
  let running: Promise<unknown> = Promise.resolve()

  function add(key: number, organization: number, operation: string, status: number, n: number) {
    let ofKey = today.byKey.get(key)
    if (ofKey === undefined) {
      ofKey = { organization, tallies: [] }
      today.byKey.set(key, ofKey)
    }
    const same = ofKey.tallies.find(
      (each) => each.operation === operation && each.status === status,
    )
    if (same === undefined) ofKey.tallies.push({ operation, status, requests: n })
    else same.requests += n
  }

  /** Takes the counts so far and starts again from zero. */
  function take(): UsageCount[] {
    const taken = [...waiting, ...countsOf(today)]
    waiting = []
    today = { day: utcDay(clock.now()), byKey: idMap() }
    return taken
  }

  /** Counts of the same day are merged, so that they do not pile up during an outage. */
  function putBack(counts: readonly UsageCount[]): void {
    for (const each of counts) {
      const { day, key, organization, operation, status, requests } = each
      if (day === today.day) add(key, organization, operation, status, requests)
      else waiting.push(each)
    }
  }

  /** One work at a time, so that counts are either stored or here. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = running.then(work, work)
    running = result.catch(() => undefined)
    return result
  }

  async function writeAll(): Promise<void> {
    const counts = take()
    for (let start = 0; start < counts.length; start += store.addSize) {
      try {
        await store.add(counts.slice(start, start + store.addSize))
      } catch (error) {
        putBack(counts.slice(start))
        if (!(error instanceof StoreUnavailable)) throw error
        return
      }
    }
  }

  return {
    count({ organization, key, operation, status }) {
      if (organization === undefined || key === undefined) return
      if (utcDay(clock.now()) !== today.day) waiting = take()
      add(key, organization, operation, status, 1)
    },
    // A caller that waits for the second write sees everything counted before it asked.
    write: () => inTurn(writeAll),
    ofKey: (organization, key, from, to) =>
      inTurn(async () => {
        const stored = await store.list(organization, from, to, key)
        const counted = [...waiting, ...countsOf(today)].filter(
          (each) => each.key === key && each.day >= from && each.day <= to,
        )
        return summed([...stored, ...counted])
      }),
  }
}

function countsOf({ day, byKey }: OfDay): UsageCount[] {
  const found: UsageCount[] = []
  for (const [key, { organization, tallies }] of byKey.entries()) {
    for (const tally of tallies) found.push({ organization, day, key, ...tally })
  }
  return found
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
