import { OBJECT_DEFAULTS } from '../../domain/tracked-object.ts'
import { OBJECTS } from '../kinds.ts'
import type { ObjectStore } from '../store.ts'
import { catalogueStore } from './catalogue.ts'
import type { ChangeLog } from './changes.ts'
import type { Database } from './database.ts'
import { itemRows } from './item-rows.ts'

export function objectStore(database: Database, changes: ChangeLog): ObjectStore {
  const { writer } = database
  const columns = Object.values(OBJECTS.columns)
  const { values } = itemRows(writer, OBJECTS)
  const find = writer.prepare('SELECT id FROM objects WHERE organization = ? AND ident = ?')
  const insert = writer.prepare(`
    INSERT INTO objects (organization, created_at, updated_at, ${columns.join(', ')})
    VALUES (?, ?, ?, ${columns.map(() => '?').join(', ')})
    RETURNING id
  `)

  return {
    ...catalogueStore(database, changes, OBJECTS),
    ensure: (organization, idents, now) =>
      database.write(() => {
        let created = 0
        const ids = idents.map((ident) => {
          const standing = find.get(organization, ident)
          if (standing !== undefined) return standing.id as number
          const settings = values({ ...OBJECT_DEFAULTS, name: ident, ident })
          created += 1
          return insert.get(organization, now, now, ...settings)!.id as number
        })
        if (created > 0) changes.record(organization, 'objects')
        return { ids, created }
      }),
  }
}
