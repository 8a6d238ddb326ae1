import { addAll } from '../../base/domain/common/any-number.ts'
import {
  type Items,
  type ItemTopic,
  RECORD_TYPES,
  type RecordType,
} from '../../base/domain/item-rules.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import { shownFrom } from '../../base/domain/organization.ts'
import { type ObjectState, UNSEEN } from '../../base/domain/position/object-state.ts'
import { type PositionColumns, timeIn } from '../../base/domain/position/position-columns.ts'
import { keyOf } from '../../base/domain/record.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { ReaderView } from '../store/change-log.ts'
import type { OwnedRecord } from '../store/record-store.ts'
import type { Found } from './change-steps.ts'
import type { ItemPut, PageEntry, PageOffset, PageOptions } from './page.ts'

/** A page that is being made. `room`: how many more entries it may have. */
export type Draft = {
  readonly view: ReaderView
  readonly options: PageOptions
  readonly entries: PageEntry[]
  /** The objects whose states are on a page of the log. It shows each once, as it is now. */
  readonly shownStates: Set<number>
  /** The ids of the derived records on the page. It shows each once, as it is now. */
  readonly shownRecords: Set<number>
  room: number
}

export function newDraft(view: ReaderView, options: PageOptions): Draft {
  return {
    view,
    options,
    entries: [],
    shownStates: new Set(),
    shownRecords: new Set(),
    room: options.limit,
  }
}

/** The time from which positions of an object are shown. Undefined: the first time of any object. */
export function firstShown({ view, options }: Draft, object?: MonitoredObject): number {
  return shownFrom(view.organization, object, options.now)
}

export function addEntry(draft: Draft, entry: PageEntry): void {
  draft.entries.push(entry)
  draft.room -= 'count' in entry ? entry.count : 1
}

/** Adds an item as it is now, if it still exists. */
export function addItem<Topic extends ItemTopic>(
  draft: Draft,
  topic: Topic,
  item: Items[Topic] | undefined,
  state: ObjectState | undefined,
  seq: number,
  before: PageOffset,
): void {
  if (item === undefined) return
  const put = { type: topic, op: 'put', item, state, before } as ItemPut
  addEntry(draft, { ...put, seq })
}

/** The selected objects with ids above `after`, at most `limit`. */
export async function objectsAfter(
  { view, options }: Draft,
  after: number,
  limit: number,
): Promise<MonitoredObject[]> {
  const { ids } = options.selection
  if (ids === null) return view.itemsAfter('objects', after, limit)
  const found: MonitoredObject[] = []
  for (let rest = ids.filter((id) => id > after); found.length < limit && rest.length > 0; ) {
    const missing = limit - found.length
    addAll(found, await view.items('objects', rest.slice(0, missing)))
    rest = rest.slice(missing)
  }
  return found
}

/**
 * Adds positions of these objects up to the time `to`, until the page is full. `offset`: `id` and `time` name
 * the last position that the reader has, or with a time below 0 the last object that it has wholly.
 * Returns where it got.
 */
export async function addHistories<Within extends PageOffset>(
  draft: Draft,
  offset: Within,
  objects: readonly MonitoredObject[],
  to: number,
  seq: number,
): Promise<Within> {
  const { view, room } = draft
  const states = await view.states(objects.map(({ id }) => id))
  const afterOf = (object: MonitoredObject) =>
    Math.max(object.id === offset.id ? offset.time : -1, firstShown(draft, object) - 1)
  const parts = await Promise.all(
    objects.map((object) => view.range(object.id, afterOf(object), to, room)),
  )
  let next = offset
  for (const [index, object] of objects.entries()) {
    if (draft.room === 0) break
    for (const columns of parts[index]!) {
      if (draft.room === 0) break
      const run = historyRun(draft.room, next, object, states.get(object.id), columns, seq)
      addEntry(draft, run)
      next = { ...offset, id: object.id, time: run.lastTime }
    }
    // With room left, all of the object was read.
    if (draft.room > 0) next = { ...offset, id: object.id, time: -1 }
  }
  return next
}

/** The first rows of a part of an object's positions, as many as there is room for. */
function historyRun(
  room: number,
  before: PageOffset,
  object: MonitoredObject,
  state: ObjectState = UNSEEN,
  columns: PositionColumns,
  seq: number,
): PageEntry & { count: number; lastTime: number } {
  const count = Math.min(room, columns.rows)
  return {
    type: 'position',
    op: 'put',
    late: false,
    seq,
    object,
    state,
    ...{ columns, first: 0, count },
    beforeRow: (index) =>
      index === 0 ? before : { ...before, id: object.id, time: timeIn(columns, index - 1) },
    lastTime: timeIn(columns, count - 1),
  }
}

/** A derived record, as a change names it. */
type NamedRecord = { seq: number; object: number; type: RecordType; id: number }

/** Adds a record as it is now, once on a page. */
export function addRecord(
  draft: Draft,
  found: Found,
  { seq, object: owner, type, id }: NamedRecord,
  before: PageOffset,
): void {
  const object = found.item('objects', owner)
  // The deletion of an object covers its records.
  if (object === undefined || draft.shownRecords.has(id)) return
  draft.shownRecords.add(id)
  const owned = found.record(id)
  if (owned === undefined || hasExpired(owned, firstShown(draft, object))) {
    addEntry(draft, { type, op: 'delete', id, seq, before })
    return
  }
  const placeName = found.placeName(owned)
  addEntry(draft, { type, op: 'put', owned, object, placeName, seq, before })
}

function hasExpired({ record: { end } }: OwnedRecord, shownFrom: number): boolean {
  return end !== null && end < shownFrom
}

/**
 * Adds the records of the selected objects that overlap a range, by type, object and start, until the page is full.
 * Returns the offset that it reached, or undefined after the last record.
 */
export async function addRecords<Within extends PageOffset>(
  draft: Draft,
  found: Found,
  offset: Within,
  range: TimeRange,
  seq: number,
): Promise<Within | undefined> {
  const types = RECORD_TYPES.filter((type) => draft.options.selection.types.has(type))
  let next = offset
  for (const type of types) {
    if (types.indexOf(type) < types.indexOf(offset.records?.type ?? type)) continue
    const reached = await addRecordsOf(type, draft, found, next, range, seq)
    if (draft.room === 0) return reached
    next = reached
  }
  return undefined
}

/** Objects whose records are read at once, so that a server elsewhere is not asked one by one. */
const OBJECTS_AT_ONCE = 50

async function addRecordsOf<Within extends PageOffset>(
  type: RecordType,
  draft: Draft,
  found: Found,
  offset: Within,
  range: TimeRange,
  seq: number,
): Promise<Within> {
  let next = offset
  let after = offset.records?.type === type ? offset.records.after : null
  // The object in which the last page ended comes again.
  for (let last = (after?.object ?? 1) - 1; draft.room > 0; ) {
    const objects = (await objectsAfter(draft, last, OBJECTS_AT_ONCE)).map(({ id }) => id)
    if (objects.length === 0) break
    const { room } = draft
    const records = await draft.view.recordsOf(type, objects, range, after, room)
    await found.learn(records)
    for (const owned of records) {
      const { object, id } = owned
      if (!hasExpired(owned, firstShown(draft, found.item('objects', object)))) {
        addRecord(draft, found, { seq, object, type, id }, next)
      }
      after = { object: owned.object, ...keyOf(owned.record) }
      next = { ...next, records: { type, after } }
    }
    if (records.length < room) last = objects.at(-1)!
  }
  return next
}
