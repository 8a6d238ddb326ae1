import { isPlainLine } from '../base/domain/common/plain-text.ts'
import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import {
  ATTRIBUTE_LIMITS,
  type AttributeValue,
  isDeviceName,
} from '../base/domain/position/attribute.ts'
import {
  boolean,
  described,
  MOMENT,
  matching,
  optional,
  texts,
  wholeNumber,
} from '../base/domain/setting-rule.ts'
import { indexFrom, rangeAt } from '../base/domain/time/ranges.ts'
import { isWithin, LAST_TIME, type TimeRange } from '../base/domain/time/time.ts'
import { RowReader } from '../engine/journeys/row-reader.ts'
import type { ChangeView } from '../engine/store/change-log.ts'
import { MAX_VALUE_ERASURES } from '../engine/store/position-store.ts'
import type { Store } from '../engine/store/store.ts'
import { UnreadablePositions } from '../engine/tracking/work.ts'
import * as doc from './document-schema.ts'
import { newInput } from './input.ts'

/*
 * Where objects have values of attributes: the documents, and the search.
 */

/** Names of one search. */
const MAX_NAMES = 16
const { textBytes } = ATTRIBUTE_LIMITS

export type GivenValues = {
  names: readonly string[] | null
  value: string | null
  object: number | null
  from: string | null
  to: string | null
  after: number
}

const GIVEN = {
  names: described(
    optional(texts(`a list of 1 to ${MAX_NAMES} names`, MAX_NAMES, isDeviceName)),
    'Names of attributes, as devices send them. Null: all, which requires a value.',
  ),
  value: described(
    optional(
      matching(
        `text of 1 to ${textBytes} characters on one line`,
        (value) => value !== '' && value.length <= textBytes && isPlainLine(value),
        { minLength: 1, maxLength: textBytes },
      ),
    ),
    'The value, as devices send it, such as the name or the card of a driver. A number is written as in JSON. Null: all values.',
  ),
  object: described(optional(wholeNumber(1)), 'Id of an object. Null: all objects.'),
  from: described(optional(MOMENT), 'The first `time_device`. Null: the oldest one.'),
  to: described(optional(MOMENT), 'The last one, included. Null: the newest one.'),
  after: described(
    wholeNumber(0),
    'Only objects with ids above it: the `next` of the previous answer. Default: 0.',
  ),
}
export const TO_FIND = newInput<GivenValues>(
  'ValuesToFind',
  GIVEN,
  { after: 0 },
  'Values of attributes in stored positions.',
)
export const TO_ERASE = newInput<GivenValues & { dryRun: boolean }>(
  'ValuesToErase',
  {
    ...GIVEN,
    dryRun: described(
      boolean,
      'Dry run: answer the same without changing anything. Default: false.',
    ),
  },
  { after: 0, dryRun: false },
  'Values to erase: those of a text wherever they are, or all of some names, of an object, from a time to a time.',
)

const FOUND = doc.record(
  {
    object: doc.integer('Id of the object.'),
    ident: doc.text('Its ident.'),
    attribute: doc.text('The name that its device used.'),
    positions: doc.integer(
      'Stored positions that have it, including those that answers do not show.',
    ),
    first: doc.instant('The first `time_device`.'),
    last: doc.instant('The last one.'),
    ranges: doc.integer('Ranges of time without another value between: so many are erased.'),
  },
  'Where an object has a value.',
  'FoundValue',
)
export const FOUND_VALUES = {
  items: doc.list(FOUND, 'By object and attribute.'),
  unreadable: doc.list(
    doc.plain<number>({ type: 'integer' }),
    'Ids of objects with positions that cannot be read: restore them from a backup.',
  ),
  next: doc.integerOrNull(
    'The id of the last object that was searched: the `after` of the next request. Null: it was the last one.',
  ),
}

export type Wanted = Pick<GivenValues, 'names' | 'value' | 'object' | 'after'> & TimeRange

/** `isOpen`: the last position of the name has the value, so the next one may be in its range. */
type FoundRuns = { attribute: string; positions: number; ranges: TimeRange[]; isOpen: boolean }
export type Found = FoundRuns & { object: MonitoredObject }
export type Search = { found: Found[]; unreadable: number[]; next: number | null }

/** Rows that one request reads, before the next object. A second or two. */
const MAX_COST = 1_000_000
/** An object costs as much as this many rows. */
const COST_OF_OBJECT = 100

/** Searches the objects one by one. */
export async function searchValues(
  store: Store,
  organization: number,
  wanted: Wanted,
): Promise<Search> {
  const { object, after } = wanted
  const listed = await store.objects.list(organization)
  const objects = listed
    .filter(({ id }) => (object === null || id === object) && id > after)
    .sort((a, b) => a.id - b.id)
  const search: Search = { found: [], unreadable: [], next: null }
  let [cost, last] = [0, after]
  for (const each of objects) {
    if (cost >= MAX_COST) return { ...search, next: last }
    last = each.id
    const ofObject = await searchObject(store, each, wanted)
    cost += ofObject.cost + COST_OF_OBJECT
    if (ofObject.runs === null) search.unreadable.push(each.id)
    for (const runs of ofObject.runs ?? []) {
      if (runs.ranges.length > 0) search.found.push({ ...runs, object: each })
    }
  }
  return search
}

/** `runs`: by attribute. Null: positions cannot be read. */
async function searchObject(
  { changeLog }: Store,
  { organization, id }: MonitoredObject,
  wanted: Wanted,
): Promise<{ runs: FoundRuns[] | null; cost: number }> {
  try {
    const found = await changeLog.view(organization, (view) => runsIn(view, id, wanted))
    return found ?? { runs: [], cost: 0 }
  } catch (error) {
    if (!(error instanceof UnreadablePositions)) throw error
    return { runs: null, cost: 0 }
  }
}

async function runsIn(view: ChangeView, object: number, { names, value, from, to }: Wanted) {
  const known = (await view.states([object])).get(object)?.attributes ?? []
  // A row has the index of a name among those of its object.
  const byIndex = known.map(({ name }) =>
    names === null || names.includes(name) ? noRuns(name) : null,
  )
  const runs = byIndex.filter((each) => each !== null).sort(byAttribute)
  if (runs.length === 0) return { runs, cost: 0 }
  const isIt = (each: AttributeValue) => value === null || String(each) === value
  const reader = new RowReader(view)
  reading: for await (const rows of reader.from(object, from)) {
    for (const { time, attributes } of rows) {
      if (time > to) break reading
      attributes?.((index, each) => {
        const ofName = byIndex[index]
        if (ofName) addTo(ofName, time, isIt(each))
      })
    }
  }
  for (const [index, current] of known.entries()) {
    const ofName = byIndex[index]
    for (const each of [current, current.other]) {
      if (!ofName || !each || each.value === null || !isIt(each.value)) continue
      if (isWithin({ from, to }, each.at)) addCurrent(ofName, each.at)
    }
  }
  return { runs, cost: reader.cost }
}

/** Adds the moment of a current value, whose position may have expired. */
function addCurrent({ ranges }: FoundRuns, at: number): void {
  if (ranges.length > MAX_VALUE_ERASURES || rangeAt(ranges, at) !== undefined) return
  ranges.splice(indexFrom(ranges, at), 0, { from: at, to: at })
}

function noRuns(attribute: string): FoundRuns {
  return { attribute, positions: 0, ranges: [], isOpen: false }
}

function byAttribute({ attribute: a }: FoundRuns, { attribute: b }: FoundRuns): number {
  return a < b ? -1 : 1
}

/** Adds a position that has the value, or another one. Too many ranges are not erased, so they need not be exact. */
function addTo(runs: FoundRuns, time: number, isIt: boolean): void {
  const { ranges, isOpen } = runs
  runs.isOpen = isIt
  if (!isIt) return
  runs.positions += 1
  if (isOpen) ranges.at(-1)!.to = time
  else if (ranges.length <= MAX_VALUE_ERASURES) ranges.push({ from: time, to: time })
}

export function sourceOf({ found, unreadable, next }: Search) {
  const items = found.map(({ object: { id: object, ident }, ranges, ...counts }) => {
    const [first, last] = [ranges[0]!.from, ranges.at(-1)!.to]
    return { ...counts, object, ident, first, last, ranges: ranges.length }
  })
  return { items, unreadable, next }
}

/** All times of a search without a range. */
export const ANY_TIME: TimeRange = { from: 0, to: LAST_TIME }
