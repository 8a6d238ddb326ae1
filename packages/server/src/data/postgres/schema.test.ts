import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import {
  append,
  fixAt,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import type { Store } from '../../engine/store/store.ts'
import { statement } from './connection/connection-pool.ts'
import { openDatabase } from './connection/database.ts'
import { openPostgresStore } from './open.ts'
import { DatabaseTooNew, MIGRATIONS, migrate } from './schema.ts'

const VERSION = MIGRATIONS.length
/** An addition of a later version, which a program of this version does not use. */
const ADDED = {
  text: `
    ALTER TABLE sites ADD COLUMN label text NOT NULL DEFAULT '';
    UPDATE sites SET label = upper(name);
    CREATE TABLE depots (at bigint);
  `,
  compatibleFrom: VERSION,
}
const CHANGED = {
  text: 'ALTER TABLE sites RENAME COLUMN radius TO radius_m',
  compatibleFrom: VERSION + 2,
}

/** Waits for `sites`, in this database alone. */
const WAITING = `
  SELECT FROM pg_locks WHERE NOT granted AND relation = 'sites'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
/** The middle of a migration. */
const SLEEPING = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`

const SITE = { name: 'a', description: null, icon: null, latitude: 1, longitude: 1, radius: 1 }

describe('An opened database', () => {
  it('gets its tables once if several processes open it together', async () => {
    const url = await emptyDatabase()
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(url)))
    const secrets = await Promise.all(stores.map((store) => store.secret()))
    assert.equal(new Set(secrets.map((secret) => secret.export().toString('hex'))).size, 1)
    assert.equal(secrets[0]?.symmetricKeySize, 32)
    await closeAll(stores)
    assert.deepEqual(await versionsIn(url), { version: VERSION, compatibleFrom: VERSION })
  })

  it('keeps its data in a further migration', async () => {
    const { url, store } = await databaseWithSite()
    await store.close()
    await migrate(url, [...MIGRATIONS, ADDED])
    assert.deepEqual(await versionsIn(url), { version: VERSION + 1, compatibleFrom: VERSION })
    assert.deepEqual(await rowsIn(url, 'SELECT name, label FROM sites'), [
      { name: 'a', label: 'A' },
    ])
  })

  it('is migrated when nobody uses its tables, and keeps nobody waiting until then', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    const [backup, other] = [new pg.Client(url), new pg.Client(url)]
    await Promise.all([backup.connect(), other.connect()])
    await backup.query('BEGIN; SELECT FROM sites')
    const migrating = migrate(url, [...MIGRATIONS, ADDED])
    const waiting = async () => (await other.query(WAITING)).rows
    while ((await waiting()).length === 0);
    await other.query("SET statement_timeout = '5s'; SELECT FROM sites")
    assert.equal((await versionsIn(url)).version, VERSION)
    await backup.query('COMMIT')
    await migrating
    assert.equal((await versionsIn(url)).version, VERSION + 1)
    await Promise.all([backup.end(), other.end()])
  })

  it('works with programs one version apart if the newer one’s data allows it', async () => {
    const { url, organization, store: running } = await databaseWithSite()
    await migrate(url, [...MIGRATIONS, ADDED])
    const restarted = await openPostgresStore(url)
    for (const store of [running, restarted]) {
      const object = await newObject(store, organization, String(store === running))
      assert.deepEqual(await append(store, organization, object, [fixAt(1)]), ['accepted'])
      await store.sites.put(organization, [{ ...SITE, radius: 2 }], 1)
      assert.equal((await store.sites.list(organization))[0]?.radius, 2)
    }
    await closeAll([running, restarted])
    assert.deepEqual(await versionsIn(url), { version: VERSION + 1, compatibleFrom: VERSION })
  })

  it('is unchanged if its migration is killed in the middle, and the next one waits for that', async () => {
    const { url, organization, store } = await databaseWithSite()
    const child = fork(join(import.meta.dirname, 'migrate-until-killed.fixture.ts'), [url])
    while ((await rowsIn(url, SLEEPING)).length === 0);
    child.kill('SIGKILL')
    await once(child, 'exit')
    await migrate(url, [...MIGRATIONS, ADDED])
    assert.deepEqual(await rowsIn(url, `SELECT to_regclass('half') AS half`), [{ half: null }])
    assert.equal((await store.sites.list(organization))[0]?.name, 'a')
    assert.deepEqual(await versionsIn(url), { version: VERSION + 1, compatibleFrom: VERSION })
    await store.close()
  })

  it('is refused with the remedy if a newer version’s data requires it', async () => {
    const url = await emptyDatabase()
    await migrate(url, [...MIGRATIONS, ADDED, CHANGED])
    await assert.rejects(openPostgresStore(url), (error: Error) => {
      assert.ok(error instanceof DatabaseTooNew)
      assert.match(
        error.message,
        new RegExp(`data version ${VERSION + 2}, .* up to ${VERSION}: run the newer Fleetgate`),
      )
      return true
    })
  })

  it('is unchanged if a step fails', async () => {
    const url = await emptyDatabase()
    const broken = { text: 'CREATE TABLE half (a int); SELECT 1 / 0', compatibleFrom: 1 }
    await migrate(url)
    await assert.rejects(migrate(url, [...MIGRATIONS, ADDED, broken]), /division by zero/)
    assert.deepEqual(await versionsIn(url), { version: VERSION, compatibleFrom: VERSION })
    await migrate(url, [...MIGRATIONS, ADDED])
    assert.equal((await versionsIn(url)).version, VERSION + 1)
  })

  it('is reported with its fault if it does not exist', async () => {
    const none = new URL(await emptyDatabase())
    none.pathname = '/nothing'
    await assert.rejects(openPostgresStore(none.href), {
      name: 'StoreUnavailable',
      message: 'The store cannot answer: PostgreSQL has no such database.',
    })
    none.port = '1'
    await assert.rejects(openPostgresStore(none.href), {
      name: 'StoreUnavailable',
      message: 'The store cannot answer: PostgreSQL cannot be reached (ECONNREFUSED).',
    })
  })
})

async function closeAll(stores: Store[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()))
}

async function databaseWithSite() {
  const url = await emptyDatabase()
  const store = await openPostgresStore(url)
  const organization = await newOrganization(store)
  await store.sites.put(organization, [SITE], 1)
  return { url, store, organization }
}

type Row = Record<string, unknown>

async function rowsIn<Each extends Row = Row>(url: string, text: string): Promise<Each[]> {
  const database = openDatabase(url)
  return database.query<Each>(statement(text)).finally(() => database.close())
}

async function versionsIn(url: string) {
  const text = 'SELECT version, compatible_from AS "compatibleFrom" FROM deployment'
  const [versions] = await rowsIn<{ version: number; compatibleFrom: number }>(url, text)
  return versions!
}
