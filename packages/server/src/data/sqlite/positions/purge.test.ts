import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  fixAt,
  idOf,
  NOW,
  newFleet,
  objectSettings,
} from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'

describe('The positions of a deleted object', () => {
  it('are deleted after a crash when the store is next opened, before their id is free', async (t) => {
    const { store, reopen, rows, inspect, organization, object } = await withPositions(t)
    inspect().exec('INSERT INTO purges SELECT organization, id FROM objects; DELETE FROM objects')
    const entry = { ...objectSettings('new'), id: object }
    const [put] = await store.objects.put(organization, [entry], NOW)
    assert.notEqual(idOf(put), object)
    await reopen()
    assert.deepEqual(await rows(), [])
  })

  it('remain if the object exists: a contrary record is damage', async (t) => {
    const { reopen, rows, inspect } = await withPositions(t)
    inspect().exec('INSERT INTO purges SELECT organization, id FROM objects')
    await assert.rejects(
      reopen(),
      /the database file is damaged; restart the server, and if that does not help, restore it from a backup/,
    )
    assert.equal((await rows()).length, 2)
  })
})

/** A store with one object and two positions. */
async function withPositions(t: TestContext) {
  const opened = await temporaryStore(t)
  const { organization, object, append } = await newFleet(opened.store)
  await append([fixAt(1), fixAt(2)])
  return { ...opened, organization, object }
}
