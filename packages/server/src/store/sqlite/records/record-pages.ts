import type { DatabaseSync } from 'node:sqlite'
import { takeTurn } from '../../../domain/turn.ts'
import { type PageReads, recordPage } from '../../record-pages.ts'
import { AT_FIRST } from '../../record-rows.ts'
import type { OwnedRecord, RecordQuery, RecordStore } from '../../record-store.ts'
import type { Database } from '../database/database.ts'
import { placesText, recordReads } from './record-reads.ts'

/** Pages of records over the reader. */
export function recordPages(database: Database): RecordStore['page'] {
  const { overlapping } = recordReads(database.reader)
  const next = nextObjects(database.reader)

  function readsOf(organization: number, query: RecordQuery): PageReads {
    const places = query.places === null ? null : placesText(query.places)
    return {
      async objectsAfter(after, limit) {
        return database.read(() => next(organization, places, after, limit))
      },
      async read(objects, after, limit) {
        const found: OwnedRecord[] = []
        database.read(() => {
          for (const object of objects) {
            const from = object === after.object ? after : AT_FIRST
            const wanted = { ...query, places, after: from, limit: limit - found.length }
            for (const record of overlapping(organization, object, wanted)) found.push(record)
            if (found.length === limit) return
          }
        })
        await takeTurn()
        return found
      },
    }
  }

  return (organization, query) => recordPage(query, readsOf(organization, query))
}

/** The objects of an organization, or those with visits to places, that come after one. */
function nextObjects(reader: DatabaseSync) {
  const all = reader.prepare(`
    SELECT id FROM objects WHERE organization = ? AND id > ? ORDER BY id LIMIT ?
  `)
  const visitor = reader.prepare(`
    SELECT min((
      SELECT object FROM records
      WHERE organization = ?1 AND kind = wanted.value ->> 0 AND place = wanted.value ->> 1
        AND place > 0 AND object > ?2
      ORDER BY object LIMIT 1
    )) AS id FROM json_each(?3) AS wanted
  `)
  const exists = reader.prepare('SELECT 1 FROM objects WHERE organization = ? AND id = ?')

  return (organization: number, places: string | null, after: number, limit: number): number[] => {
    if (places === null) {
      return all.all(organization, after, limit).map(({ id }) => id as number)
    }
    const found: number[] = []
    for (let last = after; found.length < limit; ) {
      const id = visitor.get(organization, last, places)!.id as number | null
      if (id === null) break
      if (exists.get(organization, id) !== undefined) found.push(id)
      last = id
    }
    return found
  }
}
