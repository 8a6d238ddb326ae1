import type { Disclosed, Disclosure } from '../../base/domain/credential.ts'
import type { KeyOperation } from '../../base/domain/key-scope.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { DisclosureStore } from '../../engine/store/audit-store.ts'
import { type CountForm, openDayCounts } from './day-counts.ts'

/** A key, with the organization that owns it and its disclosee. */
type Owned = { readonly id: number; readonly organization: number; readonly disclosee: number }

/**
 * Counts in memory what answers show of objects, by key, disclosee, kind of data and object, and adds it to the store a
 * moment later.
 */
export type DisclosureCounts = {
  /** Takes tens of nanoseconds for one object. The caller must not change the lists afterwards. */
  answer(key: Owned, data: KeyOperation, disclosed: Disclosed): void
  /** Adds rows of an answer that is counted already. */
  rows(key: Owned, data: KeyOperation, object: number, rows: number): void
  /** Adds the counts to the store. Counts that could not be written are kept for the next time. */
  write(): Promise<void>
}

type Tally = { requests: number; rows: number }
/** The counts of one disclosee and one kind of data. */
type Tallies = {
  disclosee: number
  data: KeyOperation
  byObject: Map<number, Tally>
  /**
   * How often the same list was answered with a row of each object: clients ask for the same lists again and again.
   * Null before the first list, because most keys ask for details.
   */
  lists: Map<readonly number[], number> | null
}

/** Lists of a key that are kept as such. Longer ones are counted one by one at once, so that no later request does. */
const MAX_LISTS = 8
const MAX_LIST_OBJECTS = 1_000

/** A key has few of them in a day, so a search is the fastest. */
const FORM: CountForm<Tallies[], Disclosure> = {
  none: () => [],
  add: (ofKey, { disclosee, data, object, requests, rows }) =>
    add(talliesIn(ofKey, disclosee, data), object, requests, rows),
  countsOf: (all, ofKey) =>
    all.flatMap((tallies) => {
      takeLists(tallies)
      const { disclosee, data, byObject } = tallies
      return Array.from(byObject, ([object, tally]) => ({
        ...ofKey,
        object,
        disclosee,
        data,
        ...tally,
      }))
    }),
}

function talliesIn(ofKey: Tallies[], disclosee: number, data: KeyOperation): Tallies {
  const known = ofKey.find((each) => each.disclosee === disclosee && each.data === data)
  if (known !== undefined) return known
  const tallies = { disclosee, data, byObject: new Map(), lists: null }
  ofKey.push(tallies)
  return tallies
}

export function openDisclosureCounts(store: DisclosureStore, clock: Clock): DisclosureCounts {
  const counts = openDayCounts(store, clock, FORM)
  const talliesOf = ({ organization, id, disclosee }: Owned, data: KeyOperation) =>
    talliesIn(counts.ofKey(organization, id), disclosee, data)
  return {
    answer(key, data, { objects, rows }) {
      const tallies = talliesOf(key, data)
      if (rows !== undefined) {
        for (let at = 0; at < objects.length; at += 1) add(tallies, objects[at]!, 1, rows[at]!)
      } else if (objects.length > 1 && objects.length <= MAX_LIST_OBJECTS) addList(tallies, objects)
      else for (const object of objects) add(tallies, object, 1, 1)
    },
    rows: (key, data, object, rows) => add(talliesOf(key, data), object, 0, rows),
    write: counts.write,
  }
}

function add({ byObject }: Tallies, object: number, requests: number, rows: number): void {
  const tally = byObject.get(object)
  if (tally === undefined) byObject.set(object, { requests, rows })
  else {
    tally.requests += requests
    tally.rows += rows
  }
}

function addList(tallies: Tallies, objects: readonly number[]): void {
  tallies.lists ??= new Map()
  const { lists } = tallies
  if (lists.size >= MAX_LISTS && !lists.has(objects)) takeLists(tallies)
  lists.set(objects, (lists.get(objects) ?? 0) + 1)
}

/** Counts the objects of the lists one by one. */
function takeLists(tallies: Tallies): void {
  if (tallies.lists === null) return
  for (const [objects, requests] of tallies.lists) {
    for (const object of objects) add(tallies, object, requests, requests)
  }
  tallies.lists.clear()
}
