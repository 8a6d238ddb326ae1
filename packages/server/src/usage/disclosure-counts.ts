import type { Disclosed, Disclosure } from '../domain/disclosure.ts'
import { type IdMap, idMap } from '../domain/id-map.ts'
import type { Clock } from '../domain/time/clock.ts'
import { utcDay } from '../domain/time/time.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { DisclosureStore } from '../store/usage-store.ts'

/** A key, with the organization that owns it. */
type Owned = { readonly id: number; readonly organization: number }

/** Counts in memory what answers show of objects, by key and object, and adds it to the store a moment later. */
export type DisclosureCounts = {
  /** Takes tens of nanoseconds for one object. The caller must not change the lists afterwards. */
  answer(key: Owned, disclosed: Disclosed): void
  /** Adds rows of an answer that is counted already. */
  rows(key: Owned, object: number, rows: number): void
  /** Adds the counts to the store. Counts that could not be written are kept for the next time. */
  write(): Promise<void>
}

type Tally = { requests: number; rows: number }
type OfKey = {
  organization: number
  byObject: Map<number, Tally>
  /**
   * How often the same list was answered with a row of each object: clients ask for the same lists again and again.
   * Null before the first list, because most keys ask for details.
   */
  lists: Map<readonly number[], number> | null
}
type OfDay = { day: number; byKey: IdMap<OfKey> }

/** Lists of a key that are kept as such. Longer ones are counted one by one at once, so that no later request does. */
const MAX_LISTS = 8
const MAX_LIST_OBJECTS = 1_000

export function openDisclosureCounts(store: DisclosureStore, clock: Clock): DisclosureCounts {
  let today = newDay()
  /** Counts of past days, and counts that could not be written. */
  let waiting: Disclosure[] = []
  let running: Promise<unknown> = Promise.resolve()

  function newDay(): OfDay {
    return { day: utcDay(clock.now()), byKey: idMap() }
  }

  /** Takes the counts so far and starts again from zero. */
  function take(): Disclosure[] {
    const taken = [...waiting, ...disclosuresOf(today)]
    waiting = []
    today = newDay()
    return taken
  }

  /** Counts of the same day are merged, so that they do not pile up during an outage. */
  function putBack(counts: readonly Disclosure[]): void {
    for (const each of counts) {
      const { day, key: id, organization, object, requests, rows } = each
      if (day === utcDay(clock.now())) add(ofKey({ id, organization }), object, requests, rows)
      else waiting.push(each)
    }
  }

  function ofKey({ id, organization }: Owned): OfKey {
    if (utcDay(clock.now()) !== today.day) waiting = take()
    const known = today.byKey.get(id)
    if (known !== undefined) return known
    const added = { organization, byObject: new Map(), lists: null }
    today.byKey.set(id, added)
    return added
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
    answer(key, { objects, rows }) {
      const counted = ofKey(key)
      if (rows !== undefined) {
        for (let at = 0; at < objects.length; at += 1) add(counted, objects[at]!, 1, rows[at]!)
      } else if (objects.length > 1 && objects.length <= MAX_LIST_OBJECTS) addList(counted, objects)
      else for (const object of objects) add(counted, object, 1, 1)
    },
    rows: (key, object, rows) => add(ofKey(key), object, 0, rows),
    write() {
      const written = running.then(writeAll, writeAll)
      running = written.catch(() => undefined)
      return written
    },
  }
}

function add({ byObject }: OfKey, object: number, requests: number, rows: number): void {
  const tally = byObject.get(object)
  if (tally === undefined) byObject.set(object, { requests, rows })
  else {
    tally.requests += requests
    tally.rows += rows
  }
}

function addList(counted: OfKey, objects: readonly number[]): void {
  counted.lists ??= new Map()
  const { lists } = counted
  if (lists.size >= MAX_LISTS && !lists.has(objects)) takeLists(counted)
  lists.set(objects, (lists.get(objects) ?? 0) + 1)
}

/** Counts the objects of the lists one by one. */
function takeLists(counted: OfKey): void {
  if (counted.lists === null) return
  for (const [objects, requests] of counted.lists) {
    for (const object of objects) add(counted, object, requests, requests)
  }
  counted.lists.clear()
}

function disclosuresOf({ day, byKey }: OfDay): Disclosure[] {
  const found: Disclosure[] = []
  for (const [key, counted] of byKey.entries()) {
    takeLists(counted)
    const { organization, byObject } = counted
    for (const [object, tally] of byObject) found.push({ organization, day, key, object, ...tally })
  }
  return found
}
