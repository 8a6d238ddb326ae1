import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { runAtOnce } from '../../engine/tracking/work.ts'
import { type ItemKind, itemForm } from '../tables/item-columns.ts'
import { itemRows } from '../tables/item-reader.ts'
import type { Tables } from '../tables/sql.ts'
import { bound, DIALECT, sqlOf } from './tables.ts'

type Settings = { name: string; isOpen: boolean; hours: number[] }

const KIND: ItemKind<Settings> = {
  table: 'sites',
  columns: { name: 'name', isOpen: 'is_open', hours: 'hours' },
  storedAs: { isOpen: 'boolean', hours: 'json' },
  verticesOf: ({ hours }) => hours.length,
  matchedBy: 'name',
}

/** The reads of a table with these sites of the organization 1. */
function readsOf(t: TestContext, all: readonly Settings[]) {
  const database = new DatabaseSync(':memory:')
  t.after(() => database.close())
  database.exec(
    'CREATE TABLE sites (organization, id, name, is_open, hours, vertices, created_at, updated_at)',
  )
  const { values } = itemForm(KIND)
  const insert = database.prepare('INSERT INTO sites VALUES (1, ?, ?, ?, ?, ?, 0, 0)')
  for (const [id, settings] of all.entries()) insert.run(id, ...bound(values(settings)))
  const sql = sqlOf(database)
  const read: Tables['read'] = async (work) => runAtOnce(work(sql))
  return { ...itemRows(DIALECT, KIND), read }
}

it('A row gives back each setting in its own type', async (t) => {
  const sites = [true, false].map((isOpen) => ({ name: 'Depot', isOpen, hours: [8, 17] }))
  const { listed, read } = readsOf(t, sites)
  const times = { createdAt: 0, updatedAt: 0 }
  const wanted = sites.map((site, id) => ({ ...site, id, organization: 1, ...times }))
  assert.deepEqual(await listed(read, 1, [1, 7, 0]), wanted)
})

it('Long items are read few at a time, and short ones together', async (t) => {
  const long = Array.from({ length: 40_000 }, (_, at) => at)
  const sites = [...Array(4).fill([1]), ...Array(4).fill(long), ...Array(3).fill([2])]
  const { rowPages, read } = readsOf(
    t,
    sites.map((hours) => ({ name: 'Depot', isOpen: true, hours })),
  )
  const sizesOf = async (after: number, limit: number) =>
    (await Array.fromAsync(rowPages(read, 1, after, limit))).map((page) => page.length)
  assert.deepEqual(await sizesOf(-1, Infinity), [6, 2, 3])
  assert.deepEqual(await sizesOf(3, 3), [2, 1])
  assert.deepEqual(await sizesOf(10, 3), [])
})
