import { ALL_KINDS } from '../record-rows.ts'
import type { RecordStore } from '../record-store.ts'
import { objectsAfter } from './objects-after.ts'
import type { Tables } from './sql.ts'

/** A slice looks at this many objects and deletes this many records. It takes some milliseconds. */
const SLICE_OBJECTS = 50
const SLICE_RECORDS = 250

/** Deletes the first records of a condition on `records`, at most the number of a parameter. */
export function recordRemoval(condition: string, atMost: string): string {
  return `
    DELETE FROM records WHERE organization = $1 AND (kind, object, start_time, place) IN (
      SELECT kind, object, start_time, place FROM records
      WHERE organization = $1 AND kind IN (${ALL_KINDS}) AND ${condition} LIMIT ${atMost}
    )`
}

export function expiredRecords({
  dialect,
  read,
  change,
}: Tables): Pick<RecordStore, 'purgeExpired'> {
  const { isIn, list } = dialect
  const expired = `${isIn('object', '$2')} AND start_time < $3 AND end_time < $3`
  const isDue = `
    SELECT 1 FROM records
    WHERE organization = $1 AND kind IN (${ALL_KINDS}) AND ${expired} LIMIT 1`
  const remove = recordRemoval(expired, String(SLICE_RECORDS))
  return {
    async purgeExpired(organization, before, after) {
      const slice = await read((sql) => objectsAfter(sql, organization, after, SLICE_OBJECTS))
      const next = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
      const values = [organization, list(slice), before]
      if ((await read(({ one }) => one(isDue, values))) === undefined) return next
      const removed = await change(organization, ({ count }) => count(remove, values))
      // The same objects again, which may have more.
      return removed === SLICE_RECORDS ? after : next
    },
  }
}
