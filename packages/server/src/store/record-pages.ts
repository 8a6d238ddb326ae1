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
  /** The selected records of these objects, by object, start, kind and place, behind a place. */
  read(objects: readonly number[], after: RecordPlace, limit: number): Promise<OwnedRecord[]>
}

/** A page of records, object by object. Others run in between. */
export async function recordPage(
  { objects, after, limit }: RecordQuery,
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
    for (const record of await read(slice, place, limit - found.length)) found.push(record)
    first = slice.at(-1)!
    place = { object: first + 1, ...AT_FIRST }
  }
  return found
}
