import { OBJECT_DEFAULTS } from '../../../domain/monitored-object.ts'
import { NO_ENTRIES } from '../../change-entries.ts'
import { OBJECTS } from '../../kinds.ts'
import type { ObjectStore } from '../../store.ts'
import type { Noted } from '../audit.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { itemRows } from './item-rows.ts'
import { itemStore } from './items.ts'
import { newObjects } from './object-limits.ts'

export function objectStore(database: Database, changes: TopicChanges, noted: Noted): ObjectStore {
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
    ...itemStore(database, changes, noted, OBJECTS),
    ensure: (organization, idents, now, feedToken, note) =>
      database.write(() => {
        const ids = new Map<string, number>()
        const missing: string[] = []
        for (const ident of idents) {
          const existing = find.get(organization, ident)
          if (existing === undefined) missing.push(ident)
          else ids.set(ident, existing.id as number)
        }
        if (missing.length === 0) return { ids, created: 0, beyond: null }
        const within = limits.within(organization, feedToken, missing.length, now)
        const { count: created, beyond } = within
        const items = missing.slice(0, created).map((ident) => {
          const settings = values({ ...OBJECT_DEFAULTS, name: ident, ident })
          const id = insert.get(organization, now, now, ...settings)!.id as number
          ids.set(ident, id)
          return { topic: 'objects' as const, id, isDeleted: false }
        })
        if (created > 0) {
          changes.record(organization, ['objects'])
          changes.log(organization, { ...NO_ENTRIES, items })
        }
        return noted({ ids, created, beyond }, note)
      }),
  }
}
