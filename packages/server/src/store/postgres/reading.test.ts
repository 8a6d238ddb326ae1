import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { emptyDatabase } from '../../trial/servers/shared-postgres.ts'
import { openReading } from './reading.ts'
import { statement } from './statement.ts'

/** As long as the block of a history takes on a busy server. */
const SLOW = statement('SELECT 1::int8 FROM pg_sleep(0.1)')
let roles = 0

describe('readers of histories, more than there are connections', () => {
  it('wait where the role may have 2 connections and 12 read at once', async (t) => {
    const reading = openReading(await urlOfRole(t, 2))
    t.after(reading.close)
    const read = await Promise.allSettled(Array.from({ length: 12 }, () => reading.copy(SLOW, [])))
    const refused = read.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    assert.deepEqual(refused, [])
  })
})

/** The URL of a new database, for a new role that may have so many connections. */
async function urlOfRole(t: TestContext, connections: number): Promise<string> {
  const url = await emptyDatabase()
  roles += 1
  const role = `reader_${process.pid}_${roles}`
  await ask(url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${connections}`)
  t.after(() => ask(url, `DROP ROLE ${role}`))
  const made = new URL(url)
  made.username = role
  return made.href
}

async function ask(connectionString: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client.query(text).finally(() => client.end())
}
