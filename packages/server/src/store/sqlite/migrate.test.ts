import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { newOrganization } from '../contract/fixture.ts'
import { StoreUnavailable } from '../store.ts'
import { DataFolderTooNew } from './migrate.ts'
import { openSqliteStore } from './open.ts'
import { temporaryStore } from './temporary-store.ts'

describe('opening a data folder', () => {
  it('makes it for its owner alone', async () => {
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

  it('changes nothing when it is up to date', async () => {
    const { folder, store, reopen, cleanUp } = await temporaryStore()
    try {
      const organization = await newOrganization(store)
      const schema = schemaOf(folder)
      assert.equal(schema.version, 1)
      assert.equal((await (await reopen()).organizations.list())[0]?.id, organization)
      assert.deepEqual(schemaOf(folder), schema)
    } finally {
      await cleanUp()
    }
  })

  it('is safe for several processes at once', async () => {
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

  it('is refused where a newer version made it', async () => {
    const { folder, store, cleanUp } = await temporaryStore()
    try {
      await store.close()
      const database = new DatabaseSync(join(folder, 'fleetgate.db'))
      database.exec('PRAGMA user_version = 7')
      database.close()
      await assert.rejects(openSqliteStore(folder), (error: Error) => {
        assert.ok(error instanceof DataFolderTooNew)
        assert.match(error.message, /data version 7 .* versions up to 1: run the newer Fleetgate/)
        return true
      })
    } finally {
      await cleanUp()
    }
  })

  it('says what is wrong where it cannot be', async () => {
    const file = join(import.meta.dirname, 'migrate.test.ts')
    await assert.rejects(openSqliteStore(join(file, 'data')), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /^The data folder .* cannot be used: ENOTDIR/)
      return true
    })
  })
})

function schemaOf(folder: string) {
  const database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  try {
    const version = database.prepare('PRAGMA user_version').get()?.user_version
    return { version, tables: database.prepare('SELECT sql FROM sqlite_schema').all() }
  } finally {
    database.close()
  }
}
