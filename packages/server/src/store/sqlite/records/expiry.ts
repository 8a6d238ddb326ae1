import type { DatabaseSync } from 'node:sqlite'
import { ALL_KINDS } from '../../record-rows.ts'
import type { RecordStore } from '../../record-store.ts'
import type { Database } from '../database/database.ts'

/** A slice looks at this many objects and deletes this many records. It takes some milliseconds. */
const SLICE_OBJECTS = 50
const SLICE_RECORDS = 250

export function expiredRecords(database: Database): RecordStore['purgeExpired'] {
  const { reader, writer } = database
  const objects = reader.prepare(`
    SELECT id FROM objects WHERE organization = ? AND id > ? ORDER BY id LIMIT ${SLICE_OBJECTS}
  `)
  const isDue = reader.prepare(`
    SELECT 1 FROM records
    WHERE organization = ? AND kind IN (${ALL_KINDS}) AND object = ? AND start_time < ?3
      AND end_time < ?3
    LIMIT 1
  `)
  const removeFirst = recordRemover(writer)

  return async (organization, before, after) => {
    const [slice, due] = database.read(() => {
      const ids = objects.all(organization, after).map(({ id }) => id as number)
      return [ids, ids.filter((id) => isDue.get(organization, id, before) !== undefined)]
    })
    const next = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
    if (due.length === 0) return next
    return database.write(() => {
      let left = SLICE_RECORDS
      for (const object of due) {
        left -= removeFirst(organization, object, before, left)
        // Continue at the same object, which may have more.
        if (left === 0) return object - 1
      }
      return next
    })
  }
}

/**
 * Deletes records of an object that ended before a moment, at most `atMost` of them. With null all of its
 * records are to go, also those under way. Returns their number. Calls are part of a transaction.
 */
export function recordRemover(
  writer: DatabaseSync,
): (organization: number, object: number, before: number | null, atMost: number) => number {
  const first = writer.prepare(`
    SELECT kind, start_time AS start, place FROM records
    WHERE organization = ?1 AND kind IN (${ALL_KINDS}) AND object = ?2
      AND (?3 IS NULL OR (start_time < ?3 AND end_time < ?3))
    LIMIT ?4
  `)
  const remove = writer.prepare(`
    DELETE FROM records
    WHERE organization = ? AND kind = ? AND object = ? AND start_time = ? AND place = ?
  `)
  return (organization, object, before, atMost) => {
    const rows = first.all(organization, object, before, atMost) as Key[]
    for (const { kind, start, place } of rows) {
      remove.run(organization, kind, object, start, place)
    }
    return rows.length
  }
}

type Key = { kind: number; start: number; place: number }
