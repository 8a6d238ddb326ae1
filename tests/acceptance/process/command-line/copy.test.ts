import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { emptyDatabase } from '../../../../packages/server/testing/servers/shared-postgres.ts'
import { redisUrl } from '../../../../packages/server/testing/servers/shared-redis.ts'
import { embeddedOnly, inFolder } from '../../harness/deployment.ts'
import { startFleet } from '../../harness/fleet.ts'
import { WHOLE_RANGE } from '../../harness/fleet-data.ts'
import { fleetgate, fleetgateJson, type Json, start } from '../../harness/fleetgate.ts'
import { organizationOf } from '../../harness/organization.ts'
import { serveHere } from '../../harness/server-here.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const PATIENCE_MS = 30_000

describe('copy', embeddedOnly, async () => {
  // Each copy takes as long as the data are large.
  const fleet = await startFleet({ full: 2, plain: 1 }, [], { isAlone: true })
  const original = fleet.deployment.folder!
  const database = await emptyDatabase()
  const back = join(temporaryFolder(), 'back')
  let there: Json

  it('to PostgreSQL continues after kill -9, beside a running server', async () => {
    // Each copy waits for an organization that another transaction is about to write, so the kill comes in the
    // middle.
    const [, second, third] = (await fleet.json('org', 'list')) as { id: number }[]
    for (const { id } of [second!, third!]) {
      await using blocked = await heldOrganization(database, id)
      const child = start(['copy', '--from', original, '--to', database])
      await blocked.isWaitedFor()
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const { code, stderr } = await fleetgate(['org', 'list', '--database', database])
    assert.equal(code, 1)
    assert.match(stderr, /copy to this database was not finished/)

    there = await fleetgateJson(['copy', '--from', original, '--to', database])
    assert.deepEqual(there.differences, [])
    assert.ok(there.tables.positions.rows > 0)
    const again = await fleetgateJson(['copy', '--from', original, '--to', database])
    assert.equal(again.positions_written, 0)
    assert.deepEqual(again.tables, there.tables)
  })

  it('serves from PostgreSQL the same as from the folder, including keys, cursors and quotas', async () => {
    const organization = fleet.full[0]!
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '5')
    const { van, longHaul } = organization.objects
    const path = `/objects/${longHaul}/positions?${WHOLE_RANGE}&limit=2`
    const page = await organization.get(path)
    const next = /<(.*)>/.exec(String(page.headers.link))![1]!.replace('/public/v1', '')
    const rest = await organization.get(next)
    await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`)
    there = await fleetgateJson(['copy', '--from', original, '--to', database])

    const place = {
      args: ['--database', database],
      serveArgs: ['--redis', await redisUrl()],
      folder: undefined,
      database,
    }
    const server = await serveHere(place, ['--geocoder', 'off'])
    try {
      const copy = organizationOf(organization, () => server.api)
      assert.equal((await copy.get(next)).text, rest.text)
      const latest = await copy.get(`/positions/latest?ids=${van}`)
      assert.equal(latest.headers['x-quota-remaining'], '3')
      const refused = await fleetgate(['copy', '--from', original, '--to', database])
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /using the target database: stop it first/)
    } finally {
      await server.stop()
    }
  })

  it('back into a folder continues after kill -9, and the folder can be served', async () => {
    for (let kill = 0; kill < 2; kill += 1) {
      const child = start(['copy', '--from', database, '--to', back])
      await using held = await heldFolder(back)
      assert.ok(held.isUnfinished())
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const { code, stderr } = await fleetgate(['org', 'create', '--name', 'X', '--data', back])
    assert.equal(code, 1)
    assert.match(stderr, /was not finished: run the same 'fleetgate copy' again/)

    const home = await fleetgateJson(['copy', '--from', database, '--to', back])
    assert.deepEqual(home.tables.positions, there.tables.positions)
    const server = await serveHere(inFolder(back), ['--geocoder', 'off'])
    try {
      const organization = fleet.full[1]!
      const path = `/objects/${organization.objects.longHaul}/positions?${WHOLE_RANGE}`
      const copy = organizationOf(organization, () => server.api)
      assert.equal((await copy.get(path)).text, (await organization.get(path)).text)
    } finally {
      await server.stop()
    }
  })

  it('refuses a target with other data, and an invalid target', async () => {
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await fleetgate(['copy', ...args])
      assert.equal(stdout, '')
      return `${code} ${stderr}`
    }
    const occupied = temporaryFolder()
    await fleetgateJson(['org', 'create', '--name', 'Acme', '--data', occupied])
    assert.match(await refused('--from', original, '--to', occupied), /^1 .* is not empty/)
    assert.match(await refused('--from', original, '--to', original), /^2 .*the same folder/)
    assert.match(await refused('--from', database, '--to', database), /^2 .*the same database/)
    assert.match(await refused('--from', original), /^2 .*--to/)
    assert.match(
      await refused('--from', original, '--to', 'mysql://x'),
      /^2 .*must be a URL such as/,
    )
    const nowhere = join(occupied, 'nowhere')
    assert.match(await refused('--from', nowhere, '--to', back), /^1 .*no Fleetgate data/)
    const closed = 'postgres://fleetgate@127.0.0.1:1/fleetgate'
    assert.match(await refused('--from', original, '--to', closed), /^1 .*cannot be reached/)
  })
})

/** Holds the id of an organization, so that no other transaction can write it before the release. */
async function heldOrganization(connectionString: string, id: number) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const found = await client.query(`SELECT to_regclass('organizations') IS NOT NULL AS is`)
  if (!found.rows[0].is) await fleetgateJson(['org', 'list', '--database', connectionString])
  const { rows: columns } = await client.query(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_name = 'organizations' AND is_nullable = 'NO' AND column_name <> 'id'`,
  )
  const zero = (type: string) => ({ text: "''", boolean: 'false' })[type] ?? '0'
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO organizations (id, ${columns.map(({ name }) => name)})
      OVERRIDING SYSTEM VALUE VALUES ($1, ${columns.map(({ type }) => zero(type))})`,
    [id],
  )
  return {
    isWaitedFor: () =>
      until(async () => {
        const { rows } = await client.query(
          'SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = $1) AS is',
          ['transactionid'],
        )
        return rows[0].is
      }),
    async [Symbol.asyncDispose]() {
      await client.query('ROLLBACK')
      await client.end()
    },
  }
}

/** Takes the write lock of the database that a copy writes, as soon as the database exists. */
async function heldFolder(folder: string) {
  const file = join(folder, 'fleetgate.db.copying')
  await until(async () => existsSync(file))
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS })
  database.exec('BEGIN IMMEDIATE')
  return {
    isUnfinished: () => existsSync(file),
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('it did not come to it in time')
    await pause(5)
  }
}
