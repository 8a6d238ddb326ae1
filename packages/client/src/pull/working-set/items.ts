import type { DatabaseSync } from 'node:sqlite'
import type { ItemKind, StoredItem } from '../../replica/replica-store.ts'
import type { ItemWrite, RecordRemoval } from '../net-writes.ts'

type ItemsWrite = RecordRemoval | ItemWrite

/** The items of an organization, and the states of its objects. */
export type Items = {
  /** Returns whether the write changed something. */
  apply(write: ItemsWrite, generation: number): boolean
  find<Kind extends ItemKind>(kind: Kind, id: number): StoredItem<Kind> | undefined
  /** All of a kind, by id. */
  of<Kind extends ItemKind>(kind: Kind): Generator<StoredItem<Kind>>
  /** Whether the write changes the name or ident of a stored object. */
  isRename(write: ItemWrite): boolean
  /** Deletes the items of earlier generations. */
  dropBefore(generation: number): void
}

type Row = { item: string; asOf: number }

export function openItems(database: DatabaseSync): Items {
  const put = database.prepare('INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?)')
  const drop = database.prepare('DELETE FROM items WHERE kind = ? AND id = ?')
  const dropRecords = database.prepare(`
    DELETE FROM items WHERE kind IN ('trip', 'stop', 'visit')
      AND (?1 IS NULL OR item ->> 'object_id' = ?1) AND (?2 IS NULL OR item ->> 'end_time' < ?2)
  `)
  const dropBefore = database.prepare('DELETE FROM items WHERE generation < ?')
  const one = database.prepare('SELECT item, as_of AS asOf FROM items WHERE kind = ? AND id = ?')

  function find<Kind extends ItemKind>(kind: Kind, id: number): StoredItem<Kind> | undefined {
    const row = one.get(kind, id)
    return row && storedItem(row as Row)
  }

  return {
    find,
    apply(write, generation) {
      switch (write.write) {
        case 'put':
          put.run(write.kind, write.id, generation, write.asOf, JSON.stringify(write.item))
          return true
        case 'delete':
          return drop.run(write.kind, write.id).changes > 0
        case 'delete-records':
          return dropRecords.run(write.id, write.endedBefore).changes > 0
      }
    },
    *of(kind) {
      // Each call has its own statement, because two kinds may be read at the same time.
      const all = database.prepare(
        'SELECT item, as_of AS asOf FROM items WHERE kind = ? ORDER BY id',
      )
      for (const row of all.iterate(kind)) yield storedItem(row as Row)
    },
    isRename(write) {
      if (write.write !== 'put' || write.kind !== 'object') return false
      const { name, ident } = write.item
      const before = find('object', write.id)?.item
      return before !== undefined && (before.name !== name || before.ident !== ident)
    },
    dropBefore(generation) {
      dropBefore.run(generation)
    },
  }
}

function storedItem<Kind extends ItemKind>({ item, asOf }: Row): StoredItem<Kind> {
  return { item: JSON.parse(item), asOf }
}
