import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NOW, newKey, newOrganization } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { valuesOf } from '../../../../testing/values-of.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { type Database, openDatabase } from './database.ts'

describe('The store while another process writes', () => {
  it('queues writers, serves readers, and defers uses of keys at once', async (t) => {
    const { store, inspect } = await temporaryStore(t)
    const organization = await newOrganization(store)
    const { id: key } = await store.keys.issue(organization, newKey('a'), NOW)
    const other = inspect()
    other.exec('BEGIN IMMEDIATE')

    let issued = false
    const issuing = store.keys.issue(organization, newKey('b'), NOW).then(() => {
      issued = true
    })
    const use = { organization, key, usedAt: NOW, requests: {} }
    await assert.rejects(store.keys.touch([use]), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /another process is writing/)
      assert.ok(error.cause instanceof Error)
      return true
    })
    assert.equal((await store.keys.list(organization)).length, 1)
    assert.equal(issued, false)

    other.exec('COMMIT')
    await issuing
    await store.keys.touch([use])
    assert.deepEqual(valuesOf(await store.keys.list(organization), 'lastUsedAt'), [NOW, null])
  })
})

describe('The store on a full disk', () => {
  it('is unavailable to writers, writes nothing partially, and recovers', async (t) => {
    const { file } = await temporaryStore(t)
    const database = await openDatabase(file)
    t.after(() => database.close())
    const { writer } = database
    const insert = writer.prepare('INSERT INTO changes VALUES (1, ?, 1)')
    const fill = () => database.write(() => ['small', 'x'.repeat(1e6)].map((s) => insert.run(s)))
    writer.exec('PRAGMA max_page_count = 100')
    await assert.rejects(fill(), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.equal(error.message, 'The store cannot answer: the disk is full.')
      return true
    })
    assert.equal(rowsOf(database), 0)
    writer.exec('PRAGMA max_page_count = 1000000')
    await fill()
    assert.equal(rowsOf(database), 2)
  })
})

function rowsOf({ reader }: Database): unknown {
  return reader.prepare('SELECT count(*) AS rows FROM changes').get()?.rows
}
