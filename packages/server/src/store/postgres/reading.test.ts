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
    assert.deepEqual(await refusalsOf(12, () => reading.copy(SLOW, [])), [])
  })

  it('wait until another program leaves a connection', async (t) => {
    const url = await urlOfRole(t, 1)
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    const reading = openReading(url)
    t.after(reading.close)
    const read = reading.copy(SLOW, [])
    // The first attempt is refused by then, and the next ones as well.
    await assert.rejects(openReading(url, { ...SHORT, patienceMs: 0 }).copy(SLOW, []), NONE_LEFT)
    await other.end()
    assert.equal((await read).length, 1)
  })

  it('wait no longer than they may, and no more of them than may', async (t) => {
    const reading = openReading(await urlOfRole(t, 10), SHORT)
    t.after(reading.close)
    const long = statement('SELECT 1::int8 FROM pg_sleep(0.5)')
    const refusals = await refusalsOf(6 + 3 + 2, () => reading.copy(long, []))
    assert.deepEqual(refusals.sort(), [
      ...Array(2).fill('All connections to PostgreSQL are in use and 3 requests wait for one.'),
      ...Array(3).fill('No connection to PostgreSQL was free for 100 ms.'),
    ])
    assert.deepEqual(await refusalsOf(6, () => reading.copy(SLOW, [])), [], 'all places are left')
  })

  it('leave when their client goes, and take no connection from those behind them', async (t) => {
    const reading = openReading(await urlOfRole(t, 10))
    t.after(reading.close)
    const client = new AbortController()
    const first = refusalsOf(6, () => reading.copy(SLOW, []))
    const gone = refusalsOf(3, () => reading.copy(SLOW, [], client.signal))
    const behind = refusalsOf(6, () => reading.copy(SLOW, []))
    client.abort()
    assert.equal((await gone).filter((why) => /client has gone/.test(why)).length, 3)
    assert.deepEqual([await first, await behind], [[], []])
  })
})

const SHORT = { statementMs: 5_000, patienceMs: 100, maxWaiting: 3 }
const NONE_LEFT = { name: 'StoreUnavailable', message: /no connection left/ }

/** Why those are refused that are, of so many at once. */
async function refusalsOf(count: number, read: () => Promise<unknown>): Promise<string[]> {
  const settled = await Promise.allSettled(Array.from({ length: count }, read))
  return settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.message] : []))
}

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
