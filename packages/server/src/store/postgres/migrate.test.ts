import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { emptyDatabase, isOnCitus } from '../../../testing/servers/shared-postgres.ts'
import { applyOn, HOLDER, LEASE_MS } from '../../../testing/store-contract/derived.ts'
import {
  append,
  fixAt,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { NOT_FAILED } from '../record-store.ts'
import type { Store } from '../store.ts'
import { statement } from './connection/connections.ts'
import { openDatabase } from './database.ts'
import { DatabaseTooNew, MIGRATIONS, migrate } from './migrate.ts'
import { openPostgresStore } from './open.ts'

const VERSION = MIGRATIONS.length
/** An addition of a later version, which a program of this version does not use. */
const ADDED = {
  text: 'ALTER TABLE sites ADD COLUMN opened_at bigint; CREATE TABLE visits (at bigint)',
  compatibleFrom: VERSION,
}
const CHANGED = {
  text: 'ALTER TABLE sites RENAME COLUMN radius TO radius_m',
  compatibleFrom: VERSION + 2,
}

/** Waits for `organizations`, in this database alone. */
const WAITING = `
  SELECT FROM pg_locks WHERE NOT granted AND relation = 'organizations'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

const plain = { skip: isOnCitus ? 'no first version runs on a Citus' : false }

describe('An opened database', () => {
  it('gets its tables once if several processes open it together', async () => {
    const url = await emptyDatabase()
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(url)))
    const secrets = await Promise.all(stores.map((store) => store.secret()))
    assert.equal(new Set(secrets.map((secret) => secret.export().toString('hex'))).size, 1)
    assert.equal(secrets[0]?.symmetricKeySize, 32)
    await closeAll(stores)
    assert.deepEqual(await versionsIn(url), { version: VERSION, compatibleFrom: 1 })
  })

  it(
    'is migrated when nobody uses its tables, and keeps nobody waiting until then',
    plain,
    async () => {
      const url = await emptyDatabase()
      await migrate(url, MIGRATIONS.slice(0, 1))
      const [backup, other] = [new pg.Client(url), new pg.Client(url)]
      await Promise.all([backup.connect(), other.connect()])
      await backup.query('BEGIN; SELECT FROM organizations')
      const migrating = migrate(url)
      const waiting = async () => (await other.query(WAITING)).rows
      while ((await waiting()).length === 0);
      await other.query("SET statement_timeout = '5s'; SELECT FROM organizations")
      assert.equal((await versionsIn(url))!.version, 1)
      await backup.query('COMMIT')
      await migrating
      assert.equal((await versionsIn(url))!.version, VERSION)
      await Promise.all([backup.end(), other.end()])
    },
  )

  it('is migrated from the first version, which can continue to use it', plain, async () => {
    const url = await emptyDatabase()
    await migrate(url, MIGRATIONS.slice(0, 1))
    const database = openDatabase(url)
    await database.run(statement(OLD_ORGANIZATION))
    await database.run(statement(OLD_GEOFENCE))
    await database.run(statement(OLD_ROUTE))
    const store = await openPostgresStore(url)
    assert.deepEqual(await versionsIn(url), { version: VERSION, compatibleFrom: 1 })
    const [organization] = await store.organizations.list()
    assert.equal(organization?.name, 'Old')
    assert.equal(await store.operator.password(), null)
    const { id } = organization!
    const counted = statement(
      'SELECT vertices FROM geofences UNION ALL SELECT vertices FROM routes',
    )
    assert.deepEqual(await database.query(counted), [{ vertices: 4 }, { vertices: 5 }])
    const count = { organization: id, day: 1, key: 1, operation: 'a', status: 200, requests: 1 }
    await store.usage.add([count])
    assert.deepEqual(await store.usage.list(id, 1, 1), [count])
    const derived = await newOrganization(store)
    await store.records.lease(HOLDER, LEASE_MS, [derived])
    await applyOn(store, derived, { tasks: [{ kind: 'history', id: 0, after: 0, ...NOT_FAILED }] })
    assert.deepEqual(await store.records.due(), [derived])
    // As in the first version, which deletes nothing else.
    await database.run(statement('DELETE FROM organizations'))
    assert.deepEqual(await store.usage.list(id, 1, 1), [])
    assert.equal((await store.records.progress([derived])).size, 0)
    assert.deepEqual(await store.records.due(), [])
    await store.close()
    await database.close()
  })

  it('works with programs one version apart if the newer one’s data allows it', async () => {
    const url = await emptyDatabase()
    const running = await openPostgresStore(url)
    const organization = await newOrganization(running)
    const site = { name: 'a', description: null, icon: null, latitude: 1, longitude: 1, radius: 1 }
    await running.sites.put(organization, [site], 1)
    await migrate(url, [...MIGRATIONS, ADDED])
    assert.deepEqual(await versionsIn(url), { version: VERSION + 1, compatibleFrom: VERSION })
    const restarted = await openPostgresStore(url)
    for (const store of [running, restarted]) {
      const object = await newObject(store, organization, String(store === running))
      assert.deepEqual(await append(store, organization, object, [fixAt(1)]), ['accepted'])
      await store.sites.put(organization, [{ ...site, radius: 2 }], 1)
      assert.equal((await store.sites.list(organization))[0]?.radius, 2)
    }
    await closeAll([running, restarted])
    assert.deepEqual(await versionsIn(url), { version: VERSION + 1, compatibleFrom: VERSION })
  })

  it('gives a program without scopes only tokens for everything', async () => {
    const url = await emptyDatabase()
    const store = await openPostgresStore(url)
    for (const scope of ['all', 'read'] as const) {
      const shown = { name: scope, hash: scope, prefix: 'p', lastFour: 'l', expiresAt: null }
      const token = { ...shown, kind: 'token', scope, organization: null } as const
      await store.operator.issue(token, null, 1)
    }
    assert.equal((await store.operator.list('token')).length, 2)
    const database = openDatabase(url)
    // As in the third version, which accepts no other kind of token.
    const found = await database.query(statement(KINDS_AS_BEFORE))
    assert.deepEqual(found, [
      { hash: 'all', kind: 'token' },
      { hash: 'read', kind: 'scoped_token' },
    ])
    await database.close()
    await store.close()
  })

  it('is refused with the remedy if a newer version’s data requires it', async () => {
    const url = await emptyDatabase()
    await migrate(url, [...MIGRATIONS, ADDED, CHANGED])
    await assert.rejects(openPostgresStore(url), (error: Error) => {
      assert.ok(error instanceof DatabaseTooNew)
      assert.match(
        error.message,
        new RegExp(`data version ${VERSION + 2} .* up to ${VERSION}: run the newer Fleetgate`),
      )
      return true
    })
  })

  it('is unchanged if a step fails', async () => {
    const url = await emptyDatabase()
    const broken = { text: 'CREATE TABLE half (a int); SELECT 1 / 0', compatibleFrom: 1 }
    await migrate(url)
    await assert.rejects(migrate(url, [...MIGRATIONS, ADDED, broken]), /division by zero/)
    assert.deepEqual(await versionsIn(url), { version: VERSION, compatibleFrom: 1 })
    await migrate(url, [...MIGRATIONS, ADDED])
    assert.equal((await versionsIn(url))?.version, VERSION + 1)
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

const KINDS_AS_BEFORE = 'SELECT hash, kind FROM operator_credentials ORDER BY id'

const OLD_ORGANIZATION = `
  INSERT INTO organizations (name, distance_unit, language, subscription, create_objects,
    created_at, updated_at)
  VALUES ('Old', 'km', 'en', 'active', false, 1, 2)`

const OLD_GEOFENCE = `
  INSERT INTO geofences SELECT id, 1, 'Zone', NULL, NULL, '[[0,0],[1,0],[1,1],[0,1]]', 1, 2 FROM organizations`
const OLD_ROUTE = `
  INSERT INTO routes SELECT id, 1, 'Line', NULL, NULL, NULL, '[{"location":[0,0],"order":1}]',
    '[[[0,0],[1,1]],[[2,2],[3,3]]]', 1, 2 FROM organizations`

async function closeAll(stores: Store[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()))
}

async function versionsIn(
  url: string,
): Promise<{ version: number; compatibleFrom: number } | undefined> {
  const database = openDatabase(url)
  const [versions] = await database.query<{ version: number; compatibleFrom: number }>(
    statement('SELECT version, compatible_from AS "compatibleFrom" FROM deployment'),
  )
  await database.close()
  return versions
}
