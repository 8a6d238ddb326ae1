import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import {
  ALL_TIME,
  append,
  fixAt,
  newFleet,
  newObject,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { History } from '../../engine/store/position-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'

const ROWS = 5_000
const DAMAGED =
  'The store cannot answer: the database file is damaged; restart the server, and if that does not help, restore it from a backup.'

/**
 * Positions of two objects. The page after the first quarter, which belongs to the first object, has been
 * overwritten with the page at this fraction of the table.
 */
async function misdirectedPage(t: TestContext, part: number) {
  const { folder, file, store, reopen } = await temporaryStore(t)
  const { organization, object } = await newFleet(store)
  const other = await newObject(store, organization, 'other')
  const fixes = Array.from({ length: ROWS }, (_, index) => fixAt(index))
  for (const each of [object, other]) await append(store, organization, each, fixes)
  await store.close()
  const { pages, size } = leavesOf(file)
  const bytes = readFileSync(file)
  const [from, to] = [part, 0.25].map((each) => pages[Math.floor(each * pages.length)]! - 1)
  bytes.copyWithin(to! * size, from! * size, (from! + 1) * size)
  writeFileSync(file, bytes)
  return { folder, store: await reopen(), organization, object }
}

/** The leaf pages of the positions, in the order of their rows. */
function leavesOf(file: string): { pages: number[]; size: number } {
  using database = new DatabaseSync(file, { readOnly: true })
  const rows = database
    .prepare(`SELECT pageno, pgsize FROM dbstat
      WHERE name = 'positions' AND pagetype = 'leaf' ORDER BY path`)
    .all()
  return { pages: rows.map(({ pageno }) => Number(pageno)), size: Number(rows[0]!.pgsize) }
}

async function read({ blocks }: History): Promise<void> {
  for await (const _ of blocks);
}

const isDamaged = (error: Error) => error instanceof StoreUnavailable && error.message === DAMAGED

describe('A database with a page in the place of another', () => {
  for (const [whose, part] of [
    ['another object', 0.75],
    ['an earlier time', 0.1],
    ['a later time', 0.4],
  ] as const) {
    it(`does not read as intact if the page is of ${whose}`, async (t) => {
      const { store, organization, object } = await misdirectedPage(t, part)
      const whole = await store.positions.history(organization, object, ALL_TIME, null)
      await assert.rejects(read(whole), isDamaged)
      await read(await store.positions.history(organization, object, { from: 0, to: 9 }, null))
    })
  }

  it('does not become a backup', async (t) => {
    const { folder, store } = await misdirectedPage(t, 0.75)
    const target = join(folder, 'backup')
    await assert.rejects(store.backup(target), isDamaged)
    assert.deepEqual(await readdir(target), [])
  })
})

describe('A database whose file is emptied under a server', () => {
  it('is damaged, also for a statement that was not used before', async (t) => {
    const { file, store } = await temporaryStore(t)
    const { organization, object } = await newFleet(store)
    await append(store, organization, object, [fixAt(0)])
    for (const each of [file, `${file}-wal`]) truncateSync(each, 0)
    const history = async () =>
      read(await store.positions.history(organization, object, ALL_TIME, null))
    await assert.rejects(history, StoreUnavailable)
    await assert.rejects(store.objects.find(organization, object), StoreUnavailable)
  })
})
