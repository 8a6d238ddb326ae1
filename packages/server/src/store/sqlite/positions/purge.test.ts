import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
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
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import type { Store } from '../../store.ts'

describe('The positions of a deleted organization', () => {
  it('are gone from the disk, and no others', async (t) => {
    const { folder, store } = await temporaryStore(t)
    const [gone, kept] = [await newOrganization(store), await newOrganization(store)]
    const fixes = Array.from({ length: 3_000 }, (_, index) => fixAt(index))
    for (const ident of ['a', 'b', 'c']) {
      await append(store, gone, await newObject(store, gone, ident), fixes)
    }
    await append(store, kept, await newObject(store, kept), fixes)
    await store.organizations.delete(gone)
    assert.deepEqual(positionsIn(folder), [{ organization: kept, rows: 3_000 }])
  })

  it('are deleted after a crash when the store is next opened, before their id is free', async (t) => {
    const { folder, store, reopen } = await temporaryStore(t)
    const { organization, object } = await objectWithFixes(store)
    execute(folder, 'INSERT INTO purges SELECT organization, id FROM objects; DELETE FROM objects')
    const entry = { ...objectSettings('new'), id: object }
    const [put] = await store.objects.put(organization, [entry], NOW)
    assert.notEqual(idOf(put), object)
    await reopen()
    assert.deepEqual(positionsIn(folder), [])
  })

  it('remain if their object exists: a contrary record is damage', async (t) => {
    const { folder, store, reopen } = await temporaryStore(t)
    const { organization } = await objectWithFixes(store)
    execute(folder, 'INSERT INTO purges SELECT organization, id FROM objects')
    await assert.rejects(
      reopen(),
      /the database file is damaged; restart the server, and if that does not help, restore it from a backup/,
    )
    assert.deepEqual(positionsIn(folder), [{ organization, rows: 2 }])
  })
})

/** An organization with one object and two positions. */
async function objectWithFixes(store: Store) {
  const { organization, object } = await newFleet(store)
  await append(store, organization, object, [fixAt(1), fixAt(2)])
  return { organization, object }
}

/** Changes the database without the store. */
function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'fleetgate.db'))
  database.exec(sql)
  database.close()
}

function positionsIn(folder: string) {
  const database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  try {
    const counts = 'SELECT organization, count(*) AS rows FROM positions GROUP BY organization'
    return database
      .prepare(counts)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}
