import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import {
  append,
  fixAt,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { databaseFile } from './data-folder.ts'
import { openDatabase } from './database/database.ts'
import { openSqliteStore } from './open.ts'
import { DataFolderTooNew, MIGRATIONS, type Migration, migrate } from './schema.ts'

/** The version of the data of this program. */
const VERSION = MIGRATIONS.length

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
          new RegExp(`data version 99, .* versions up to ${VERSION}: run the newer Fleetgate`),
        )
        return true
      })
    } finally {
      await cleanUp()
    }
  })

  it('is reported with its fault if it cannot be opened', async () => {
    const file = join(import.meta.dirname, 'schema.test.ts')
    await assert.rejects(openSqliteStore(join(file, 'data')), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /^The data folder .* cannot be used: ENOTDIR/)
      return true
    })
  })
})

describe('A further migration of a data folder', () => {
  it('keeps its data, and programs of the version before are refused then', async () => {
    const { folder, store, reopen, cleanUp, migrateTo } = await folderWithSite()
    try {
      await store.close()
      await migrateTo(SECOND)
      assert.equal(schemaOf(folder).version, VERSION + 1)
      assert.deepEqual(labelsIn(folder), [{ __proto__: null, name: 'a', label: 'A' }])
      await migrateTo(SECOND)
      await assert.rejects(reopen(), DataFolderTooNew)
    } finally {
      await cleanUp()
    }
  })

  it('leaves a program that has the folder open at work', async () => {
    const { folder, organization, store, cleanUp, migrateTo } = await folderWithSite()
    try {
      await migrateTo(SECOND)
      const object = await newObject(store, organization)
      assert.deepEqual(await append(store, organization, object, [fixAt(1)]), ['accepted'])
      await store.sites.put(organization, [{ ...SITE, name: 'b' }], 1)
      const sites = await store.sites.list(organization)
      assert.deepEqual(
        sites.map(({ name }) => name),
        ['a', 'b'],
      )
      assert.deepEqual(labelsIn(folder), [
        { __proto__: null, name: 'a', label: 'A' },
        { __proto__: null, name: 'b', label: '' },
      ])
    } finally {
      await cleanUp()
    }
  })

  it('has changed nothing if it is killed in the middle, and comes again', async () => {
    const { folder, organization, store, reopen, cleanUp, migrateTo } = await folderWithSite()
    try {
      await store.close()
      const before = schemaOf(folder)
      const child = fork(join(import.meta.dirname, 'migrate-until-killed.fixture.ts'), [folder])
      await once(child, 'message')
      child.kill('SIGKILL')
      await once(child, 'exit')
      assert.deepEqual(schemaOf(folder), before)
      const again = await reopen()
      assert.equal((await again.sites.list(organization))[0]?.name, 'a')
      await again.close()
      await migrateTo(SECOND)
      assert.equal(schemaOf(folder).version, VERSION + 1)
      assert.deepEqual(labelsIn(folder), [{ __proto__: null, name: 'a', label: 'A' }])
    } finally {
      await cleanUp()
    }
  })

  it('has changed nothing if it fails', async () => {
    const { folder, store, cleanUp, migrateTo } = await folderWithSite()
    try {
      await store.close()
      const before = schemaOf(folder)
      const failing: Migration = (writer) => writer.exec('SELECT no_such_column FROM sites')
      await assert.rejects(migrateTo([...SECOND, failing]), /no_such_column/)
      assert.deepEqual(schemaOf(folder), before)
    } finally {
      await cleanUp()
    }
  })
})

/** A later version: it fills a new column from the data. */
const SECOND: readonly Migration[] = [
  ...MIGRATIONS,
  (writer) =>
    writer.exec(`
      ALTER TABLE sites ADD COLUMN label TEXT NOT NULL DEFAULT '';
      UPDATE sites SET label = upper(name);
      CREATE TABLE depots (at INTEGER);
    `),
]
const SITE = { name: 'a', description: null, icon: null, latitude: 1, longitude: 1, radius: 1 }

/** A data folder of this version that has a site. `migrateTo` is a program of another version that opens it. */
async function folderWithSite() {
  const { folder, store, reopen, cleanUp } = await temporaryStore()
  const organization = await newOrganization(store)
  await store.sites.put(organization, [SITE], 1)
  async function migrateTo(migrations: readonly Migration[]): Promise<void> {
    const database = await openDatabase(databaseFile(folder))
    await migrate(database, migrations).finally(() => database.close())
  }
  return { folder, organization, store, reopen, cleanUp, migrateTo }
}

function labelsIn(folder: string) {
  const database = new DatabaseSync(databaseFile(folder), { readOnly: true })
  try {
    return database.prepare('SELECT name, label FROM sites ORDER BY id').all()
  } finally {
    database.close()
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
