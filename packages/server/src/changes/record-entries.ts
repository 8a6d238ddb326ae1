import { RECORD_TYPES, type RecordType } from '../domain/change-types.ts'
import { keyOf } from '../domain/record.ts'
import type { TimeRange } from '../domain/time/time-range.ts'
import type { OwnedRecord } from '../store/record-store.ts'
import { addEntry, type Draft } from './draft.ts'
import type { Found } from './found.ts'
import type { Place } from './place.ts'
import { objectsAfter } from './position-runs.ts'

/** A derived record, as a change names it. */
export type NamedRecord = { seq: number; object: number; type: RecordType; id: number }

/** Adds a record as it is now, once on a page. */
export function addRecord(
  draft: Draft,
  found: Found,
  { seq, object: owner, type, id }: NamedRecord,
  before: Place,
): void {
  const object = found.item('objects', owner)
  // A record goes with its object.
  if (object === undefined || draft.shownRecords.has(id)) return
  draft.shownRecords.add(id)
  const owned = found.record(id)
  if (owned === undefined || isExpired(draft, owned)) {
    addEntry(draft, { type, op: 'delete', id, seq, before })
    return
  }
  const [state, placeName] = [found.stateOr(owner), found.placeName(owned)]
  addEntry(draft, { type, op: 'put', owned, object, state, placeName, seq, before })
}

function isExpired({ shownFrom }: Draft, { record: { end } }: OwnedRecord): boolean {
  return end !== null && end < shownFrom
}

/**
 * Adds the records of the selected objects that overlap a range, by type, object and start, until the page is full.
 * Returns the place where it got, or undefined behind the last record.
 */
export async function addRecords<Within extends Place>(
  draft: Draft,
  found: Found,
  place: Within,
  range: TimeRange,
  seq: number,
): Promise<Within | undefined> {
  const types = RECORD_TYPES.filter((type) => draft.options.selection.types.has(type))
  let next = place
  for (const type of types) {
    if (types.indexOf(type) < types.indexOf(place.records?.type ?? type)) continue
    const reached = await addRecordsOf(type, draft, found, next, range, seq)
    if (draft.room === 0) return reached
    next = reached
  }
  return undefined
}

/** Objects whose records are read at once, so that a server elsewhere is not asked one by one. */
const OBJECTS_AT_ONCE = 50

async function addRecordsOf<Within extends Place>(
  type: RecordType,
  draft: Draft,
  found: Found,
  place: Within,
  range: TimeRange,
  seq: number,
): Promise<Within> {
  let next = place
  let after = place.records?.type === type ? place.records.after : null
  // The object in which the last page ended comes again.
  for (let last = (after?.object ?? 1) - 1; draft.room > 0; ) {
    const objects = (await objectsAfter(draft, last, OBJECTS_AT_ONCE)).map(({ id }) => id)
    if (objects.length === 0) break
    const { room } = draft
    const records = await draft.view.recordsOf(type, objects, range, after, room)
    await found.learn(records)
    for (const owned of records) {
      addRecord(draft, found, { seq, object: owned.object, type, id: owned.id }, next)
      after = { object: owned.object, ...keyOf(owned.record) }
      next = { ...next, records: { type, after } }
    }
    if (records.length < room) last = objects.at(-1)!
  }
  return next
}
