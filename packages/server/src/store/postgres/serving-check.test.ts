import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../trial/servers/postgres.ts'
import { emptyDatabase } from '../../trial/servers/shared-postgres.ts'
import { checkForServing } from './serving-check.ts'

describe('a server with few connections', () => {
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
    await ask(superuser, `CREATE ROLE "${role}" LOGIN`)
  })

  it('is refused where they cannot do, and warned of where they may not: of the role', async () => {
    await ask(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT 4`)
    await assert.rejects(checkForServing(url.href, [], 1), {
      name: 'TooFewConnections',
      message: `PostgreSQL allows the role "${role}" 4 connections, and this server needs 5 at least and 21 at most: ALTER ROLE "${role}" CONNECTION LIMIT 21`,
    })
    await ask(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT 41`)
    assert.deepEqual(await checkForServing(url.href, [], 1), [])
    assert.deepEqual(await checkForServing(url.href, [], 2), [
      `PostgreSQL allows the role "${role}" 41 connections, and this server needs 10 at least and 42 at most, so requests can wait or fail under load: ALTER ROLE "${role}" CONNECTION LIMIT 42, or give fewer --processes`,
    ])
    await ask(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT -1`)
    assert.deepEqual(await checkForServing(url.href, [], 2), [])
  })

  it('likewise of the database, which does not bound a superuser', async () => {
    await ask(superuser, `ALTER DATABASE ${name} CONNECTION LIMIT 9`)
    await assert.rejects(checkForServing(url.href, [], 2), {
      message: `PostgreSQL allows the database ${name} 9 connections, and this server needs 10 at least and 42 at most: ALTER DATABASE ${name} CONNECTION LIMIT 42, or give fewer --processes`,
    })
    assert.deepEqual(await checkForServing(superuser, [], 2), [])
  })

  it('likewise of the server, but for those that it reserves', async (t) => {
    const server = await startPostgres({ max_connections: '24' })
    t.after(server.stop)
    await ask(server.url, 'CREATE ROLE few LOGIN')
    const few = server.url.replace('fleetgate@', 'few@')
    assert.deepEqual(await checkForServing(few, [], 1), [])
    assert.match(String(await checkForServing(few, [], 2)), /21 connections.*max_connections = 45/)
    await assert.rejects(checkForServing(few, [], 5), /needs 25 at least.*max_connections = 108/)
    assert.deepEqual(await checkForServing(server.url, [], 1), [])
  })

  it('says what PostgreSQL says where none is left to ask with', async () => {
    await ask(superuser, `ALTER DATABASE ${name} CONNECTION LIMIT 0`)
    const said = `no connection left \\(too many connections for database "${name}"\\)`
    await assert.rejects(checkForServing(url.href, [], 1), new RegExp(said))
  })
})

async function ask(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text).finally(() => client.end())
}
