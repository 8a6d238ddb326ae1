import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  append,
  fixAt,
  idOf,
  NOW,
  newFleet,
  newObject,
  newOrganization,
  objectSettings,
} from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-postgres-store.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import { purgeAll } from './purge.ts'

it('the positions of a deleted organization are gone, and no others', async (t) => {
  const { store, database } = await temporaryStore(t)
  const [gone, kept] = [await newOrganization(store), await newOrganization(store)]
  const fixes = Array.from({ length: 3_000 }, (_, index) => fixAt(index))
  for (const ident of ['a', 'b']) {
    await append(store, gone, await newObject(store, gone, ident), fixes)
  }
  await append(store, kept, await newObject(store, kept), fixes)
  await store.organizations.delete(gone)
  assert.deepEqual(await positionsIn(database), [{ organization: kept, rows: 3_000 }])
})

it('an interrupted purge is completed by the next, and its id is taken until then', async (t) => {
  const { store, database } = await temporaryStore(t)
  const { organization, object } = await newFleet(store)
  await append(store, organization, object, [fixAt(1), fixAt(2)])
  await database.transaction(async (connection) => {
    const values = [organization]
    connection.run(
      statement('INSERT INTO purges SELECT organization, id FROM objects WHERE organization = $1'),
      values,
    )
    connection.run(statement('DELETE FROM objects WHERE organization = $1'), values)
  })
  const entry = { ...objectSettings('new'), id: object }
  const [put] = await store.objects.put(organization, [entry], NOW)
  assert.notEqual(idOf(put), object)
  await purgeAll(database)
  assert.deepEqual(await positionsIn(database), [])
  const [again] = await store.objects.put(organization, [{ ...entry, ident: 'newer' }], NOW)
  assert.equal(idOf(again), object)
})

function positionsIn(database: Database) {
  return database.query(
    statement('SELECT organization, count(*) AS rows FROM positions GROUP BY organization'),
  )
}
