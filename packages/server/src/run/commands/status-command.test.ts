import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { withoutPostgres } from '../../../testing/servers/installed.ts'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import { applyOn, HOLDER, LEASE_MS } from '../../../testing/store-contract/derived.ts'
import { append, fixAt, NOW } from '../../../testing/store-contract/fixture.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { WEBHOOK_DEFAULTS } from '../../base/domain/webhook.ts'
import { lockDataFolder } from '../../data/sqlite/data-folder.ts'
import { openStore, type StoreLocation, storeStatus } from '../compose.ts'

async function status(args: string[]) {
  const { code, stdout, stderr } = await runHere(['status', '--json', ...args])
  return { code, stderr, json: JSON.parse(stdout) }
}

/** An organization with an object to recompute and records that nobody derives, and a webhook that is off. */
async function fill(location: StoreLocation): Promise<void> {
  const store = await openStore(location)
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Acme' }
  const { id } = await store.organizations.create(settings, NOW)
  const { ids } = await store.objects.ensure(id, ['one', 'two'], NOW)
  await append(store, id, ids.get('one')!, [fixAt(NOW)])
  await store.positions.requestRefold({ organization: id, object: null })
  await store.records.want(id)
  const secret = Buffer.from('sealed')
  const given = { url: 'https://example.com/', ...WEBHOOK_DEFAULTS, from: 'now' } as const
  const webhook = await store.webhooks.create(id, { ...given, secret }, NOW)
  await store.webhooks.update(id, webhook.id, { offAt: NOW, offReason: 'failing' }, NOW)
  await store.close()
}

const FILLED = {
  organizations: 1,
  objects: 2,
  packed: { positions: 0, bytes: 0 },
  unpacked: { positions: 1, bytes: 60 },
  recompute: { objects: 1 },
  wrong_clocks: { objects: 0 },
  records: { organizations: 1, behind: 1, behind_since: null, failed: 0, failures: [] },
  webhooks: { all: 1, off: 1, failing_deliveries: 0 },
}

describe('fleetgate status of a data folder', () => {
  it('tells versions, sizes, contents and who serves it', async (t) => {
    const folder = await temporaryFolder(t)
    await fill({ folder })
    const { code, json } = await status(['--data', folder])
    assert.deepEqual([code, json.healthy, json.problems], [0, true, []])
    assert.match(json.store.engine, /^SQLite 3\./)
    assert.equal(json.store.served, false)
    assert.ok(json.bytes > 0 && json.parts[0].name === 'fleetgate.db')
    assert.deepEqual(json.contents, FILLED)
    const lock = lockDataFolder(folder)
    t.after(() => lock.release())
    assert.equal((await status(['--data', folder])).json.store.served, true)
    const { stdout } = await runHere(['status', '--data', folder])
    assert.match(stdout, /^Served +by a server$/m)
    assert.match(stdout, /^Records behind +1 of 1$/m)
  })

  it('names the objects and places whose records cannot be derived', async (t) => {
    const folder = await temporaryFolder(t)
    await fill({ folder })
    const failure = {
      kind: 'geofence',
      id: 4,
      failedAt: NOW,
      error: 'RangeError: a fault',
    } as const
    const store = await openStore({ folder })
    await store.records.lease(HOLDER, LEASE_MS, [1])
    await applyOn(store, 1, { tasks: [{ ...failure, after: 0 }] })
    await store.close()
    const { code, json } = await status(['--data', folder])
    const { failed, failures } = json.contents.records
    assert.deepEqual([code, failed], [0, 1])
    const { kind, id, error } = failure
    assert.deepEqual(failures, [
      { organization: 1, kind, id, failed_at: formatInstant(NOW), error },
    ])
    const { stdout } = await runHere(['status', '--data', folder])
    assert.match(stdout, /^Records failed +1$/m)
    assert.match(stdout, /^Failures +geofence 4 of organization 1, .*: RangeError: a fault$/m)
  })

  it('leaves data of another version as it is, and says what to do', async (t) => {
    const folder = await temporaryFolder(t)
    await fill({ folder })
    for (const [version, said] of [
      [0, /upgrades it to \d+ when it starts or is used/],
      [99, /supports versions up to \d+: run the newer Fleetgate/],
    ] as const) {
      const old = join(folder, `version-${version}`)
      mkdirSync(old)
      copyFileSync(join(folder, 'fleetgate.db'), join(old, 'fleetgate.db'))
      setVersion(old, version)
      const { code, json, stderr } = await status(['--data', old])
      assert.deepEqual([code, json.healthy, json.contents], [1, false, null])
      assert.equal(json.store.data_version, version)
      assert.match(stderr, said)
      assert.equal((await status(['--data', old])).json.store.data_version, version)
    }
  })

  it('refuses a folder without data', async (t) => {
    const { code, stdout, stderr } = await runHere(['status', '--data', await temporaryFolder(t)])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /there is no Fleetgate data/)
  })
})

describe('fleetgate status of a database', { skip: withoutPostgres }, () => {
  it('tells versions, sizes and contents, and that a crash would lose data', async () => {
    const database = await emptyDatabase()
    const empty = await status(['--database', database, '--allow-data-loss'])
    assert.deepEqual([empty.code, empty.json.store.data_version], [1, 0])
    await fill({ database, allowDataLoss: true })
    const { code, json } = await status(['--database', database, '--allow-data-loss'])
    assert.deepEqual([code, json.problems], [0, []])
    assert.match(json.store.engine, /^PostgreSQL \d+/)
    assert.ok(json.bytes > 0 && json.parts.some(({ name }: { name: string }) => name === 'objects'))
    assert.deepEqual([json.contents, json.layout], [FILLED, null])
    // The servers of tests do not sync.
    const { problems } = await storeStatus({ database })
    assert.match(problems[0]!, /fsync = off/)
  })
})

function setVersion(folder: string, version: number): void {
  const database = new DatabaseSync(join(folder, 'fleetgate.db'))
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
}
