import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { type ItemKind, itemForm } from '../tables/kinds.ts'
import { itemRows } from './items.ts'
import { bound } from './tables.ts'

type Settings = { name: string; isOpen: boolean; hours: number[] }

const KIND: ItemKind<Settings> = {
  table: 'sites',
  columns: { name: 'name', isOpen: 'is_open', hours: 'hours' },
  storedAs: { isOpen: 'boolean', hours: 'json' },
  matchedBy: 'name',
}

it('A row gives back each setting in its own type', () => {
  const database = new DatabaseSync(':memory:')
  database.exec(
    'CREATE TABLE sites (organization, id, name, is_open, hours, created_at, updated_at)',
  )
  const rows = itemRows(database, KIND)
  const { values } = itemForm(KIND)
  const insert = database.prepare('INSERT INTO sites VALUES (1, ?, ?, ?, ?, 0, 0)')
  for (const [id, isOpen] of [true, false].entries()) {
    const settings = { name: 'Depot', isOpen, hours: [8, 17] }
    insert.run(id, ...bound(values(settings)))
    const times = { createdAt: 0, updatedAt: 0 }
    assert.deepEqual(rows.find(1, id), { ...settings, id, organization: 1, ...times })
  }
  database.close()
})
