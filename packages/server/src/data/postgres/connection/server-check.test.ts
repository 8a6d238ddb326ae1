import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { askPostgres } from '../../../../testing/servers/ask-postgres.ts'
import { freePort } from '../../../../testing/servers/free-port.ts'
import { startPostgres } from '../../../../testing/servers/postgres.ts'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import { statement } from './connection-pool.ts'
import { openDatabase } from './database.ts'
import { checkForServing, checkServer } from './server-check.ts'

const PID = statement('SELECT pg_backend_pid() AS pid')
const SHOW = statement('SHOW synchronous_commit')

describe('The synchronous_commit of a writing session', () => {
  const settled: [database: string, session: string][] = [
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ]
  for (const [ofDatabase, ofSession] of settled) {
    it(`is ${ofSession} if the database has ${ofDatabase}`, async () => {
      const url = await emptyDatabase()
      await askPostgres(url, `ALTER DATABASE ${nameOf(url)} SET synchronous_commit = ${ofDatabase}`)
      assert.equal(await inSession(url), ofSession)
    })
  }

  it('is on if the URL has off', async () => {
    const url = `${await emptyDatabase()}?options=-csynchronous_commit%3Doff`
    assert.equal(await inSession(url), 'on')
  })

  it('is on again on a new connection after the first one broke', async () => {
    const url = await emptyDatabase()
    await askPostgres(url, `ALTER DATABASE ${nameOf(url)} SET synchronous_commit = off`)
    const database = openDatabase(url, 1)
    try {
      await database.query(SHOW)
      await askPostgres(url, END_OTHERS)
      await database.query(SHOW).catch(() => {})
      assert.deepEqual(await database.query(SHOW), [{ synchronous_commit: 'on' }])
    } finally {
      await database.close()
    }
  })

  it('remains on in an open session when the server is reloaded with off', async (t) => {
    const { url, stop } = await startPostgres()
    t.after(stop)
    const database = openDatabase(url, 1)
    t.after(() => database.close())
    const pid = await database.query(PID)
    await askPostgres(url, 'ALTER SYSTEM SET synchronous_commit = off')
    await askPostgres(url, 'SELECT pg_reload_conf()')
    await until(url, 'synchronous_commit', 'off')
    // A session reads the new settings before its next statement, after the signal.
    await database.query(SHOW)
    assert.deepEqual(await database.query(SHOW), [{ synchronous_commit: 'on' }])
    assert.deepEqual(await database.query(PID), pid)
  })
})

describe('A server that can lose confirmed transactions', () => {
  it('is refused with its setting and the remedy, unless the operator allows it', async () => {
    const url = await emptyDatabase()
    await assert.rejects(checkServer(url, false), {
      name: 'DataLossPossible',
      message:
        'PostgreSQL runs with fsync = off, so a crash can lose acknowledged data: set fsync = on there, or accept the loss with --allow-data-loss',
    })
    await checkServer(url, true)
  })
})

const pgbouncerIsMissing =
  spawnSync('pgbouncer', ['--version']).status === 0 ? false : 'there is no pgbouncer'

describe('A pooler in front of the server', { skip: pgbouncerIsMissing }, () => {
  it('may pool sessions, and is refused if it pools transactions', async (t) => {
    const url = await emptyDatabase()
    await checkServer(await pooled(t, url, 'session'), true)
    await assert.rejects(checkServer(await pooled(t, url, 'transaction'), true), {
      name: 'SessionsShared',
      message: /pool_mode = session/,
    })
  })

  it('is also refused if it assigns its idle sessions in turn', async (t) => {
    const url = await pooled(t, await emptyDatabase(), 'transaction', 'server_round_robin = 1')
    const clients = [1, 2, 3].map(() => new pg.Client({ connectionString: url }))
    await Promise.all(clients.map((client) => client.connect()))
    // All at once, so that each has a session.
    await Promise.all(clients.map((client) => client.query('BEGIN')))
    await Promise.all(clients.map((client) => client.query('COMMIT')))
    await Promise.all(clients.map((client) => client.end()))
    await assert.rejects(checkServer(url, true), { name: 'SessionsShared' })
  })
})

/** The URL of a PgBouncer in front of a database. */
async function pooled(t: TestContext, url: string, mode: string, more = ''): Promise<string> {
  const { hostname, port, username } = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-pgbouncer-'))
  const listened = await freePort()
  const settings = `
    [databases]
    * = host=${hostname} port=${port} user=${username}
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${listened}
    unix_socket_dir =
    auth_type = any
    pool_mode = ${mode}
    ${more}
    ignore_startup_parameters = options`
  const file = join(folder, 'settings.ini')
  await writeFile(file, settings.replaceAll(/^ +/gm, ''), { mode: 0o644 })
  const asRoot = process.getuid?.() === 0
  // PgBouncer does not run as root, and reads its settings before it changes the user.
  const pooler = spawn('pgbouncer', [...(asRoot ? ['-u', 'nobody'] : []), file])
  t.after(async () => {
    pooler.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  for (let said = ''; !said.includes('process up'); ) {
    const [more] = await once(pooler.stderr.setEncoding('utf8'), 'data')
    said += more
  }
  const made = new URL(url)
  made.port = `${listened}`
  return made.href
}

const END_OTHERS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

async function inSession(url: string): Promise<unknown> {
  const database = openDatabase(url, 1)
  try {
    const [row] = await database.query<{ synchronous_commit: string }>(SHOW)
    return row!.synchronous_commit
  } finally {
    await database.close()
  }
}

/** A reload reaches new sessions a moment later. */
async function until(url: string, setting: string, value: string): Promise<void> {
  while ((await askPostgres(url, `SHOW ${setting}`))[0]![setting] !== value);
}

describe('A server with few connections', () => {
  let superuser: string
  let url: URL
  let name: string
  let role: string

  before(async () => {
    superuser = await emptyDatabase()
    url = new URL(superuser)
    name = url.pathname.slice(1)
    role = `few of ${process.pid}`
    url.username = encodeURIComponent(role)
    await askPostgres(superuser, `CREATE ROLE "${role}" LOGIN`)
  })

  it('is refused below the minimum, and warned about below the recommendation, by the limit of the role', async () => {
    await askPostgres(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT 4`)
    await assert.rejects(checkForServing(url.href, [], 1), {
      name: 'TooFewConnections',
      message: `PostgreSQL allows the role "${role}" 4 connections, and this server needs 6 at least and 24 at most: ALTER ROLE "${role}" CONNECTION LIMIT 24`,
    })
    await askPostgres(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT 41`)
    assert.deepEqual(await checkForServing(url.href, [], 1), [])
    assert.deepEqual(await checkForServing(url.href, [], 2), [
      `PostgreSQL allows the role "${role}" 41 connections, and this server needs 12 at least and 48 at most, so requests can wait or fail under load: ALTER ROLE "${role}" CONNECTION LIMIT 48, or reduce --processes`,
    ])
    await askPostgres(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT -1`)
    assert.deepEqual(await checkForServing(url.href, [], 2), [])
  })

  it('follows the limit of the database too, which does not apply to a superuser', async () => {
    await askPostgres(superuser, `ALTER DATABASE ${name} CONNECTION LIMIT 9`)
    await assert.rejects(checkForServing(url.href, [], 2), {
      message: `PostgreSQL allows the database ${name} 9 connections, and this server needs 12 at least and 48 at most: ALTER DATABASE ${name} CONNECTION LIMIT 48, or reduce --processes`,
    })
    assert.deepEqual(await checkForServing(superuser, [], 2), [])
  })

  it('follows the limit of the server too, without its reserved connections', async (t) => {
    const server = await startPostgres({ max_connections: '27' })
    t.after(server.stop)
    await askPostgres(server.url, 'CREATE ROLE few LOGIN')
    const few = server.url.replace('fleetgate@', 'few@')
    assert.deepEqual(await checkForServing(few, [], 1), [])
    assert.match(String(await checkForServing(few, [], 2)), /24 connections.*max_connections = 51/)
    await assert.rejects(checkForServing(few, [], 5), /needs 30 at least.*max_connections = 123/)
    assert.deepEqual(await checkForServing(server.url, [], 1), [])
  })

  it("reports PostgreSQL's own error if no connection is left for the query", async () => {
    await askPostgres(superuser, `ALTER DATABASE ${name} CONNECTION LIMIT 0`)
    const said = `no free connections \\(too many connections for database "${name}"\\)`
    await assert.rejects(checkForServing(url.href, [], 1), new RegExp(said))
  })
})
