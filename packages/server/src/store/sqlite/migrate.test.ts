import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import {
  applyOn,
  derived,
  HOLDER,
  LEASE_MS,
  newPut,
  trip,
} from '../../../testing/store-contract/derived.ts'
import { newOrganization } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { ORGANIZATION_DEFAULTS } from '../../domain/organization.ts'
import { type Store, StoreUnavailable } from '../store.ts'
import { DataFolderTooNew } from './migrate.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { openSqliteStore } from './open.ts'

/** The version of the data of this program. */
const VERSION = readdirSync(join(import.meta.dirname, 'migrations')).length

describe('An opened data folder', () => {
  it('is created for its owner only', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'fleetgate-open-'))
    try {
      const folder = join(parent, 'new', 'data')
      const store = await openSqliteStore(folder)
      await newOrganization(store)
      assert.equal((await stat(folder)).mode & 0o777, 0o700)
      for (const name of ['fleetgate.db', 'fleetgate.db-wal', 'fleetgate.db-shm']) {
        assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
      }
      await store.close()
    } finally {
      await rm(parent, { recursive: true })
    }
  })

  it('is unchanged if it is up to date', async () => {
    const { folder, store, reopen, cleanUp } = await temporaryStore()
    try {
      const organization = await newOrganization(store)
      const schema = schemaOf(folder)
      assert.equal(schema.version, VERSION)
      assert.equal((await (await reopen()).organizations.list())[0]?.id, organization)
      assert.deepEqual(schemaOf(folder), schema)
    } finally {
      await cleanUp()
    }
  })

  it('gets defaults for new fields of older data', async () => {
    const { folder, reopen, cleanUp } = await olderFolder()
    try {
      const store = await reopen()
      const [organization] = await store.organizations.list()
      assert.deepEqual(organization, {
        ...ORGANIZATION_DEFAULTS,
        id: 5,
        name: 'Old',
        createdAt: 1,
        updatedAt: 2,
      })
      const [object] = await store.objects.list(5)
      assert.equal(object?.odometerOffset, 0)
      assert.equal(await store.operator.password(), null)
      assert.deepEqual(await store.audit.list({ organization: 5, before: null, limit: 1 }), [])
      const count = { organization: 5, day: 1, key: 1, operation: 'a', status: 200, requests: 1 }
      await store.usage.add([count])
      assert.deepEqual(await store.usage.list(5, 1, 1), [count])
      assert.deepEqual(await store.records.lease(HOLDER, LEASE_MS, [5]), [5])
      await applyOn(store, 5, { objects: [derived(9, [newPut(1, trip(10, 20))])] })
      assert.deepEqual(await store.records.due(), [])
      assert.equal(schemaOf(folder).version, VERSION)
    } finally {
      await cleanUp()
    }
  })

  it('knows the vertices of older places', async () => {
    const { reopen, cleanUp } = await olderFolder()
    try {
      const store = await reopen()
      await store.organizations.update(5, { maxPlaces: 4, maxVertices: 11 }, 3)
      const plain = { description: null, color: null }
      const triangle: [number, number][] = [
        [0, 0],
        [1, 0],
        [0, 1],
      ]
      const put = (name: string) =>
        store.geofences.put(5, [{ ...plain, name, coordinates: triangle }], 3)
      const beyond = { outcome: 'limit_of_vertices', max: 11, count: 9 }
      assert.deepEqual(await put('New'), [beyond])
      await store.organizations.update(5, { maxVertices: 12 }, 3)
      assert.equal((await put('New'))[0]?.outcome, 'created')
      assert.deepEqual(await put('Other'), [{ outcome: 'limit_of_places', max: 4, count: 4 }])
    } finally {
      await cleanUp()
    }
  })

  it('can be opened by several processes at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetgate-open-'))
    try {
      const program = join(import.meta.dirname, 'open-once.fixture.ts')
      const secrets = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const child = fork(program, [folder])
          const [[secret], [code]] = await Promise.all([
            once(child, 'message'),
            once(child, 'exit'),
          ])
          assert.equal(code, 0)
          return secret
        }),
      )
      assert.equal(new Set(secrets).size, 1)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is refused if a newer version created it', async () => {
    const { folder, store, cleanUp } = await temporaryStore()
    try {
      await store.close()
      const database = new DatabaseSync(join(folder, 'fleetgate.db'))
      database.exec('PRAGMA user_version = 99')
      database.close()
      await assert.rejects(openSqliteStore(folder), (error: Error) => {
        assert.ok(error instanceof DataFolderTooNew)
        assert.match(
          error.message,
          new RegExp(`data version 99 .* versions up to ${VERSION}: run the newer Fleetgate`),
        )
        return true
      })
    } finally {
      await cleanUp()
    }
  })

  it('is reported with its fault if it cannot be opened', async () => {
    const file = join(import.meta.dirname, 'migrate.test.ts')
    await assert.rejects(openSqliteStore(join(file, 'data')), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /^The data folder .* cannot be used: ENOTDIR/)
      return true
    })
  })
})

/** A data folder of the first version. */
async function olderFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-older-'))
  const database = new DatabaseSync(join(folder, 'fleetgate.db'))
  firstTables(database)
  database.exec(`
    PRAGMA user_version = 1;
    INSERT INTO organizations VALUES (5, 'Old', 'km', 'en', 'active', NULL, 1, 2);
    INSERT INTO objects VALUES
      (9, 5, 'Van', '1', NULL, NULL, 'system', 'sensor', '{}', NULL, NULL, NULL, NULL, 1, 2);
    INSERT INTO geofences VALUES (1, 5, 'Zone', NULL, NULL, '[[0,0],[1,0],[1,1],[0,1]]', 1, 2);
    INSERT INTO routes VALUES (1, 5, 'Line', NULL, NULL, NULL, '[{"location":[0,0],"order":1}]',
      '[[[0,0],[1,1]],[[2,2],[3,3]]]', 1, 2);
    INSERT INTO sites VALUES (1, 5, 'Yard', NULL, NULL, 1, 2, NULL, 1, 2);
  `)
  database.close()
  const stores: Store[] = []
  return {
    folder,
    async reopen() {
      const store = await openSqliteStore(folder)
      stores.push(store)
      return store
    },
    async cleanUp() {
      for (const store of stores) await store.close()
      await rm(folder, { recursive: true })
    },
  }
}

function schemaOf(folder: string) {
  const database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  try {
    const version = database.prepare('PRAGMA user_version').get()?.user_version
    return { version, tables: database.prepare('SELECT sql FROM sqlite_schema').all() }
  } finally {
    database.close()
  }
}
