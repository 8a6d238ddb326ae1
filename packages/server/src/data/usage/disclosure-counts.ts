import type { Credential } from '../../base/domain/credential.ts'
import {
  DISCLOSURE_SOURCES,
  type Disclosed,
  type Disclosure,
  type DisclosureSource,
} from '../../base/domain/disclosure.ts'
import type { KeyOperation } from '../../base/domain/key-scope.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { DisclosureStore } from '../../engine/store/audit-store.ts'
import { type CountForm, type DayCounts, openDayCounts } from './day-counts.ts'

/** A reader of a source, with the organization whose objects it reads, and its disclosee. */
export type Reader = Pick<Credential, 'id' | 'organization' | 'disclosee'>

/** Counts what answers show of objects to the readers of one source. */
export type SourceCounts = {
  /** Takes tens of nanoseconds for one object. The caller must not change the lists afterwards. */
  answer(reader: Reader, data: KeyOperation, disclosed: Disclosed): void
  /** Adds rows of an answer that is counted already. */
  rows(reader: Reader, data: KeyOperation, object: number, rows: number): void
}

/**
 * Counts in memory what answers show of objects, by reader, disclosee, kind of data and object, and adds it to the store a
 * moment later.
 */
export type DisclosureCounts = {
  of(source: DisclosureSource): SourceCounts
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

/** Lists of a reader that are kept as such. Longer ones are counted one by one at once, so that no later request does. */
const MAX_LISTS = 8
const MAX_LIST_OBJECTS = 1_000

/** A reader has few tallies in a day, so a search is the fastest. */
function formOf(source: DisclosureSource): CountForm<Tallies[], Disclosure> {
  return {
    none: () => [],
    keyOf: ({ reader }) => reader,
    add: (ofReader, { disclosee, data, object, requests, rows }) =>
      add(talliesIn(ofReader, disclosee, data), object, requests, rows),
    countsOf: (all, { organization, day, key }) =>
      all.flatMap((tallies) => {
        takeLists(tallies)
        const { disclosee, data, byObject } = tallies
        const shared = { organization, day, source, reader: key, disclosee, data }
        return Array.from(byObject, ([object, tally]) => ({ ...shared, object, ...tally }))
      }),
  }
}

function talliesIn(ofReader: Tallies[], disclosee: number, data: KeyOperation): Tallies {
  const known = ofReader.find((each) => each.disclosee === disclosee && each.data === data)
  if (known !== undefined) return known
  const tallies = { disclosee, data, byObject: new Map(), lists: null }
  ofReader.push(tallies)
  return tallies
}

export function openDisclosureCounts(store: DisclosureStore, clock: Clock): DisclosureCounts {
  const counts = new Map(
    DISCLOSURE_SOURCES.map((source) => [source, openDayCounts(store, clock, formOf(source))]),
  )
  return {
    of: (source) => countsOver(counts.get(source)!),
    async write() {
      for (const each of counts.values()) await each.write()
    },
  }
}

function countsOver(counts: DayCounts<Tallies[], Disclosure>): SourceCounts {
  const talliesOf = ({ organization, id, disclosee }: Reader, data: KeyOperation) =>
    talliesIn(counts.ofKey(organization, id), disclosee, data)
  return {
    answer(reader, data, { objects, rows }) {
      const tallies = talliesOf(reader, data)
      if (rows !== undefined) {
        for (let at = 0; at < objects.length; at += 1) add(tallies, objects[at]!, 1, rows[at]!)
      } else if (objects.length > 1 && objects.length <= MAX_LIST_OBJECTS) addList(tallies, objects)
      else for (const object of objects) add(tallies, object, 1, 1)
    },
    rows: (reader, data, object, rows) => add(talliesOf(reader, data), object, 0, rows),
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
