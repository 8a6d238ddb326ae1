import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  fixAt,
  idOf,
  NOW,
  newFleet,
  objectSettings,
} from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-postgres-store.ts'
import { statement } from '../connection/connection-pool.ts'

it('an interrupted purge is completed by the next, and its id is taken until then', async (t) => {
  const { store, database, rows } = await temporaryStore(t)
  const { organization, object, append } = await newFleet(store)
  await append([fixAt(1), fixAt(2)])
  const begun = 'INSERT INTO purges SELECT organization, id FROM objects WHERE organization = $1'
  await database.transaction(async (connection) => {
    for (const text of [begun, 'DELETE FROM objects WHERE organization = $1']) {
      connection.run(statement(text), [organization])
    }
  })
  const entry = { ...objectSettings('new'), id: object }
  const [put] = await store.objects.put(organization, [entry], NOW)
  assert.notEqual(idOf(put), object)
  await store.positions.makeRoom(NOW, new AbortController().signal)
  assert.deepEqual(await rows(), [])
  const [again] = await store.objects.put(organization, [{ ...entry, ident: 'newer' }], NOW)
  assert.equal(idOf(again), object)
})
