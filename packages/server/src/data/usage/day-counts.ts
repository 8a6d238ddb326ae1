import { addAll } from '../../base/domain/common/any-number.ts'
import { oneAfterAnother } from '../../base/domain/common/slots.ts'
import { type Clock, utcDay } from '../../base/domain/time/time.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'

/** The key of a count, unique within the organization, and the UTC day (`utcDay`). */
type OfKey = { organization: number; day: number; key: number }
type Dated = Omit<OfKey, 'key'>

/** The counts of one key. */
export type CountForm<Tallies, Count extends Dated> = {
  none(): Tallies
  keyOf(count: Count): number
  /** Adds a stored count that could not be written. */
  add(tallies: Tallies, count: Count): void
  countsOf(tallies: Tallies, ofKey: OfKey): Count[]
}

/** Counts in memory by key, which are added to the store a moment later. */
export type DayCounts<Tallies, Count> = {
  /** The counts of a key today, for the caller to change. Takes tens of nanoseconds. */
  ofKey(organization: number, key: number): Tallies
  /**
   * Adds the counts to the store. Counts that could not be written are kept for the next time. A caller that waits
   * for a second write sees everything counted before it asked.
   */
  write(): Promise<void>
  /** Runs while no write is under way, with the counts that are not stored yet. */
  withUnstored<Result>(work: (unstored: Count[]) => Promise<Result>): Promise<Result>
}

type Today<Tallies> = {
  day: number
  byOrganization: Map<number, Map<number, Tallies>>
}
type CountStore<Count> = { addSize: number; add(counts: readonly Count[]): Promise<void> }

const STORE = 0

export function openDayCounts<Tallies, Count extends Dated>(
  store: CountStore<Count>,
  clock: Clock,
  { none, keyOf, add, countsOf }: CountForm<Tallies, Count>,
): DayCounts<Tallies, Count> {
  let today = newDay()
  /** Counts of past days, and counts that could not be written. */
  let waiting: Count[] = []
  const inTurn = oneAfterAnother()

  function newDay(): Today<Tallies> {
    return { day: utcDay(clock.now()), byOrganization: new Map() }
  }

  function unstored(): Count[] {
    const found = [...waiting]
    const { day, byOrganization } = today
    for (const [organization, byKey] of byOrganization) {
      for (const [key, tallies] of byKey) {
        addAll(found, countsOf(tallies, { organization, day, key }))
      }
    }
    return found
  }

  /** Takes the counts so far and starts again from zero. */
  function take(): Count[] {
    const taken = unstored()
    waiting = []
    today = newDay()
    return taken
  }

  function ofKey(organization: number, key: number): Tallies {
    if (utcDay(clock.now()) !== today.day) waiting = take()
    let byKey = today.byOrganization.get(organization)
    if (byKey === undefined) {
      byKey = new Map()
      today.byOrganization.set(organization, byKey)
    }
    const known = byKey.get(key)
    if (known !== undefined) return known
    const tallies = none()
    byKey.set(key, tallies)
    return tallies
  }

  /** Counts of the same day are merged, so that they do not pile up during an outage. */
  function putBack(counts: readonly Count[]): void {
    for (const each of counts) {
      const { day, organization } = each
      if (day === utcDay(clock.now())) add(ofKey(organization, keyOf(each)), each)
      else waiting.push(each)
    }
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
    ofKey,
    write: () => inTurn(STORE, writeAll),
    withUnstored: (work) => inTurn(STORE, () => work(unstored())),
  }
}
