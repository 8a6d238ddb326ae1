import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { recordsIn } from '../../../../testing/records-in-columns.ts'
import { askPostgres } from '../../../../testing/servers/ask-postgres.ts'
import {
  type PostgresServer,
  startPostgres,
  startReplica,
} from '../../../../testing/servers/postgres.ts'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  newObject,
  newOrganization,
  recordsFrom,
  recordsOf,
} from '../../../../testing/store-contract/fixture.ts'
import { FIX_RECORD } from '../../../base/domain/position/fix-record.ts'
import type { Store } from '../../../engine/store/store.ts'
import { openPostgresStore } from '../open.ts'
import { statement } from './connection-pool.ts'
import { openReadConnections } from './read-connections.ts'

/** The record of a fix without an address. */
const RECORD_BYTES = FIX_RECORD.optional
/** As long as a block of a history takes on a busy server. */
const SLOW = statement('SELECT 1::int8 FROM pg_sleep(0.1)')
let roles = 0

describe('Readers of histories beyond the number of connections', () => {
  it('wait if the role has 2 connections and 12 read at once', async (t) => {
    const connections = openReadConnections(await urlOfRole(t, 2))
    t.after(connections.close)
    assert.deepEqual(await refusalsOf(12, () => connections.copy(SLOW, [])), [])
  })

  it('wait until another program releases a connection', async (t) => {
    const url = await urlOfRole(t, 1)
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    const connections = openReadConnections(url)
    t.after(connections.close)
    const read = connections.copy(SLOW, [])
    // The first attempt has failed by then, and so have the next ones.
    await assert.rejects(
      openReadConnections(url, { ...SHORT, patienceMs: 0 }).copy(SLOW, []),
      NONE_LEFT,
    )
    await other.end()
    assert.equal((await read).length, 1)
  })

  it('wait for a limited time, and in limited number', async (t) => {
    const connections = openReadConnections(await urlOfRole(t, 10), SHORT)
    t.after(connections.close)
    const long = statement('SELECT 1::int8 FROM pg_sleep(0.5)')
    const refusals = await refusalsOf(6 + 3 + 2, () => connections.copy(long, []))
    assert.deepEqual(refusals.sort(), [
      ...Array(2).fill('All connections to PostgreSQL are in use and 3 requests wait for one.'),
      ...Array(3).fill('No connection to PostgreSQL was free for 100 ms.'),
    ])
    assert.deepEqual(
      await refusalsOf(6, () => connections.copy(SLOW, [])),
      [],
      'all places are left',
    )
  })

  it('leave when their client disconnects, and take no connection from the next in line', async (t) => {
    const connections = openReadConnections(await urlOfRole(t, 10))
    t.after(connections.close)
    const client = new AbortController()
    const first = refusalsOf(6, () => connections.copy(SLOW, []))
    const gone = refusalsOf(3, () => connections.copy(SLOW, [], client.signal))
    const behind = refusalsOf(6, () => connections.copy(SLOW, []))
    client.abort()
    assert.equal((await gone).filter((why) => /client disconnected/.test(why)).length, 3)
    assert.deepEqual([await first, await behind], [[], []])
  })
})

const SHORT = { statementMs: 5_000, patienceMs: 100, maxWaiting: 3 }
const NONE_LEFT = { name: 'StoreUnavailable', message: /no free connections/ }

/** The reasons of the refused ones among many at once. */
async function refusalsOf(count: number, read: () => Promise<unknown>): Promise<string[]> {
  const settled = await Promise.allSettled(Array.from({ length: count }, read))
  return settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.message] : []))
}

/** The URL of a new database, for a new role with this connection limit. */
async function urlOfRole(t: TestContext, connections: number): Promise<string> {
  const url = await emptyDatabase()
  roles += 1
  const role = `reader_${process.pid}_${roles}`
  await askPostgres(url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${connections}`)
  t.after(() => askPostgres(url, `DROP ROLE ${role}`))
  const made = new URL(url)
  made.username = role
  return made.href
}

const LAG_MS = 2_000
const DAY = Date.UTC(2026, 10, 20)

/** Waits for a condition for at most this many milliseconds; returns the elapsed milliseconds. */
async function until(is: () => Promise<boolean>, mostMs: number): Promise<number> {
  const start = performance.now()
  while (!(await is())) {
    assert.ok(performance.now() - start < mostMs, `not within ${mostMs} ms`)
    await pause(20)
  }
  return performance.now() - start
}

describe('A replica of the database', () => {
  let primary: PostgresServer
  let replica: PostgresServer
  let store: Store
  let organization: number
  let object: number
  let onPrimary: pg.Client
  let onReplica: pg.Client
  let processes: number[] = []
  const fixes = Array.from({ length: 9_000 }, (_, index) => fixAt(DAY + index * 1_000))

  before(async () => {
    primary = await startPostgres()
    replica = await startReplica(primary)
    const replicas = [replica.url]
    store = await openPostgresStore(primary.url, { replicas, maximumLagMs: LAG_MS })
    organization = await newOrganization(store)
    object = await newObject(store, organization)
    await append(store, organization, object, fixes)
    onReplica = await connect(replica)
    onPrimary = await connect(primary)
    await isRead()
  })

  after(async () => {
    await onPrimary.end()
    await onReplica.end()
    await store.close()
    await replica.stop()
    await primary.stop()
  })

  async function connect(server: PostgresServer) {
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  const history = (mayLag: boolean, limit: number | null = null) =>
    store.positions.history(organization, object, ALL_TIME, limit, { mayLag })

  /** Waits until the replica has everything. */
  async function caughtUp() {
    const { rows: marks } = await onPrimary.query('SELECT pg_current_wal_lsn() AS written')
    await until(async () => {
      const { rows } = await onReplica.query('SELECT pg_last_wal_replay_lsn() >= $1 AS is', [
        marks[0].written,
      ])
      return rows[0].is
    }, 10_000)
  }

  /** Pauses or resumes the replay of received changes. */
  async function replay(what: 'pause' | 'resume') {
    if (what === 'pause') await caughtUp()
    await onReplica.query(`SELECT pg_wal_replay_${what}()`)
    const state = what === 'pause' ? 'paused' : 'not paused'
    await until(async () => {
      const { rows } = await onReplica.query('SELECT pg_get_wal_replay_pause_state() AS state')
      return rows[0].state === state
    }, 10_000)
  }

  /** A fix that the replica does not have shows which server a history was read from. */
  let lastSent = DAY + 10_000_000
  async function isReadNow(): Promise<boolean> {
    lastSent += 1_000
    await replay('pause')
    await append(store, organization, object, [fixAt(lastSent)])
    const page = await history(true)
    const records = await recordsOf(page)
    await replay('resume')
    return records.readUIntLE(records.length - RECORD_BYTES + FIX_RECORD.timeDevice, 6) !== lastSent
  }

  /** The main process starts the others, which would continue without it. */
  async function signalAll(name: NodeJS.Signals) {
    if (name === 'SIGSTOP') {
      const { rows } = await onReplica.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
      processes = rows.map(({ pid }) => pid)
    }
    replica.signal(name)
    for (const pid of processes) process.kill(pid, name)
  }

  const isRead = () => until(isReadNow, 10_000)

  it('serves first pages, and the counts before them', async () => {
    await isRead()
    await replay('pause')
    const lasting = recordsFrom(fixes).length / RECORD_BYTES
    const read = (await recordsOf(await history(true))).length / RECORD_BYTES
    assert.ok(read > lasting)
    await append(store, organization, object, [fixAt(lastSent + 1), fixAt(lastSent + 2)])
    assert.equal((await recordsOf(await history(true))).length / RECORD_BYTES, read)
    const counted = store.positions.count(organization, object, ALL_TIME, 99_999, { mayLag: true })
    assert.equal(await counted, read)
    // Later pages and all other reads go elsewhere.
    assert.equal((await recordsOf(await history(false))).length / RECORD_BYTES, read + 2)
    assert.equal(await store.positions.count(organization, object, ALL_TIME, 99_999), read + 2)
    await replay('resume')
    lastSent += 2_000
  })

  it('does not lag while the primary is idle', async () => {
    await isRead()
    await pause(LAG_MS + 500)
    await replay('pause')
    await append(store, organization, object, [fixAt(lastSent + 1)])
    const [lagging, newest] = [await history(true), await history(false)]
    assert.equal((await recordsOf(newest)).length - (await recordsOf(lagging)).length, RECORD_BYTES)
    await replay('resume')
    lastSent += 1_000
  })

  it('is not used while it lags, and used again afterwards', async () => {
    await isRead()
    await replay('pause')
    await append(store, organization, object, [fixAt(lastSent + 1)])
    const left = await until(async () => {
      const [lagging, newest] = [await history(true), await history(false)]
      return (await recordsOf(newest)).length === (await recordsOf(lagging)).length
    }, LAG_MS + 2_000)
    assert.ok(left > LAG_MS - 1_500, `left out after ${left} ms`)
    await replay('resume')
    lastSent += 1_000
    await isRead()
  })

  for (const how of ['is stopped', 'dies'] as const) {
    it(`${how} in the middle of a history, which the primary continues`, async () => {
      await isRead()
      const before = await recordsOf(await history(false))
      const page = await history(true)
      let read = 0
      const begun = performance.now()
      const blocks: Uint8Array[] = []
      for await (const block of page.blocks) {
        if (read++ === 0) {
          if (how === 'dies') await replica.halt('immediate')
          else await signalAll('SIGSTOP')
        }
        blocks.push(recordsIn(block))
      }
      assert.ok(performance.now() - begun < 4_000)
      assert.deepEqual(Buffer.concat(blocks), before)
      // It is no longer used by now: no request waits for it.
      const next = performance.now()
      assert.deepEqual(await recordsOf(await history(true)), before)
      assert.ok(performance.now() - next < 1_000)
      if (how === 'dies') await replica.start()
      else await signalAll('SIGCONT')
      await onReplica.end().catch(() => {})
      onReplica = await connect(replica)
      await isRead()
    })
  }
})
