import { addAll } from '../../domain/any-number.ts'
import { keyOf } from '../../domain/record.ts'
import type { OwnedRecord, RecordPlace, RecordQuery } from '../../store/record-store.ts'
import type { Narrowing } from './narrowing.ts'

/** Reads the records behind a place (null: from the first one), at most `limit`. */
type ReadRecords = (after: RecordPlace | null, limit: number) => Promise<OwnedRecord[]>

/** A page of the visible records. `read`: a page of all. */
export async function visiblePage(
  narrowing: Narrowing,
  query: RecordQuery,
  read: (query: RecordQuery) => Promise<OwnedRecord[]>,
): Promise<OwnedRecord[]> {
  const objects = query.objects === null ? narrowing.objects : narrowing.own(query.objects)
  const range = narrowing.part(query.range)
  if (range.from > range.to) return []
  return readVisible(narrowing, query.after, query.limit, (after, limit) =>
    read({ ...query, objects, range, after, limit }),
  )
}

/** The first `limit` visible records behind a place. Reads more in the place of records that are not visible. */
export async function readVisible(
  narrowing: Narrowing,
  first: RecordPlace | null,
  limit: number,
  read: ReadRecords,
): Promise<OwnedRecord[]> {
  const visible: OwnedRecord[] = []
  for (let after = first; visible.length < limit; ) {
    const size = limit - visible.length
    const found = await read(after, size)
    for (const each of found) addAll(visible, narrowing.record(each))
    const last = found.at(-1)
    if (last === undefined || found.length < size) break
    after = { object: last.object, ...keyOf(last.record) }
  }
  return visible
}
