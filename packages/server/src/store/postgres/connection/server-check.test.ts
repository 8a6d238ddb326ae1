import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { askPostgres } from '../../../../testing/servers/ask-postgres.ts'
import { startPostgres } from '../../../../testing/servers/postgres.ts'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import { checkForServing } from './server-check.ts'

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
      `PostgreSQL allows the role "${role}" 41 connections, and this server needs 12 at least and 48 at most, so requests can wait or fail under load: ALTER ROLE "${role}" CONNECTION LIMIT 48, or give fewer --processes`,
    ])
    await askPostgres(superuser, `ALTER ROLE "${role}" CONNECTION LIMIT -1`)
    assert.deepEqual(await checkForServing(url.href, [], 2), [])
  })

  it('follows the limit of the database too, which does not apply to a superuser', async () => {
    await askPostgres(superuser, `ALTER DATABASE ${name} CONNECTION LIMIT 9`)
    await assert.rejects(checkForServing(url.href, [], 2), {
      message: `PostgreSQL allows the database ${name} 9 connections, and this server needs 12 at least and 48 at most: ALTER DATABASE ${name} CONNECTION LIMIT 48, or give fewer --processes`,
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
    const said = `no connection left \\(too many connections for database "${name}"\\)`
    await assert.rejects(checkForServing(url.href, [], 1), new RegExp(said))
  })
})
