import { keyOf } from '../domain/record.ts'
import { AT_FIRST } from './record-rows.ts'
import type { OwnedRecord, RecordPlace, RecordQuery } from './record-store.ts'

/** Objects that are read together. */
const SLICE_OBJECTS = 50

/** The reads of a page that differ by store. */
export type PageReads = {
  /**
   * At most `limit` existing objects of the organization with ids above `after`, ascending: all, or those
   * with visits to the places of the query.
   */
  objectsAfter(after: number, limit: number): Promise<number[]>
  /**
   * The selected records of these objects, by object, start, kind and place, behind a place. Those under way have any
   * duration, because their rows do not know it.
   */
  read(objects: readonly number[], after: RecordPlace, limit: number): Promise<OwnedRecord[]>
}

/** A page of records, object by object. Others run in between. */
export async function recordPage(
  { objects, after, limit, minDuration }: RecordQuery,
  { objectsAfter, read }: PageReads,
): Promise<OwnedRecord[]> {
  const found: OwnedRecord[] = []
  let place: RecordPlace = after ?? { object: 0, ...AT_FIRST }
  for (let first = place.object - 1; found.length < limit; ) {
    const slice =
      objects === null
        ? await objectsAfter(first, SLICE_OBJECTS)
        : objects.filter((each) => each > first).slice(0, SLICE_OBJECTS)
    if (slice.length === 0) break
    const asked = limit - found.length
    const records = await read(slice, place, asked)
    for (const each of records) if (isAsLongAs(each, minDuration)) found.push(each)
    const last = records.at(-1)
    if (last !== undefined && records.length === asked) {
      place = { object: last.object, ...keyOf(last.record) }
      first = last.object - 1
      continue
    }
    first = slice.at(-1)!
    place = { object: first + 1, ...AT_FIRST }
  }
  return found
}

function isAsLongAs({ record: { start, until } }: OwnedRecord, minDuration: number): boolean {
  return until - start >= minDuration
}
