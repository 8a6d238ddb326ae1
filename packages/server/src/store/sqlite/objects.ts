import { OBJECT_DEFAULTS } from '../../domain/tracked-object.ts'
import { OBJECTS } from '../kinds.ts'
import type { ObjectStore } from '../store.ts'
import { catalogueStore } from './catalogue.ts'
import type { ChangeLog } from './changes.ts'
import type { Database } from './database.ts'
import { itemRows } from './item-rows.ts'
import { newObjects } from './object-limits.ts'

export function objectStore(database: Database, changes: ChangeLog): ObjectStore {
  const { writer } = database
  const columns = Object.values(OBJECTS.columns)
  const { values } = itemRows(writer, OBJECTS)
  const limits = newObjects(writer)
  const find = writer.prepare('SELECT id FROM objects WHERE organization = ? AND ident = ?')
  const insert = writer.prepare(`
    INSERT INTO objects (organization, created_at, updated_at, ${columns.join(', ')})
    VALUES (?, ?, ?, ${columns.map(() => '?').join(', ')})
    RETURNING id
  `)

  return {
    ...catalogueStore(database, changes, OBJECTS),
    ensure: (organization, idents, now, feedToken) =>
      database.write(() => {
        const ids = new Map<string, number>()
        const missing: string[] = []
        for (const ident of idents) {
          const standing = find.get(organization, ident)
          if (standing === undefined) missing.push(ident)
          else ids.set(ident, standing.id as number)
        }
        if (missing.length === 0) return { ids, created: 0, beyond: null }
        const admitted = limits.admit(organization, feedToken, missing.length, now)
        const { count: created, beyond } = admitted
        for (const ident of missing.slice(0, created)) {
          const settings = values({ ...OBJECT_DEFAULTS, name: ident, ident })
          ids.set(ident, insert.get(organization, now, now, ...settings)!.id as number)
        }
        if (created > 0) changes.record(organization, 'objects')
        return { ids, created, beyond }
      }),
  }
}
