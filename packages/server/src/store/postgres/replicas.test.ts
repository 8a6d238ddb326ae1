import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresServer, startPostgres, startReplica } from '../../trial/servers/postgres.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  newObject,
  newOrganization,
  recordsFrom,
  recordsOf,
} from '../contract/fixture.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './open.ts'

const LAG_MS = 2_000
const DAY = Date.UTC(2026, 10, 20)

/** Until something is so, at most so many milliseconds; how many it took. */
async function until(is: () => Promise<boolean>, mostMs: number): Promise<number> {
  const start = performance.now()
  while (!(await is())) {
    assert.ok(performance.now() - start < mostMs, `not within ${mostMs} ms`)
    await pause(20)
  }
  return performance.now() - start
}

describe('a replica of the database', () => {
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
    store.positions.history(organization, object, ALL_TIME, limit, mayLag)

  /** Until the replica has all that there is. */
  async function caughtUp() {
    const { rows: marks } = await onPrimary.query('SELECT pg_current_wal_lsn() AS written')
    await until(async () => {
      const { rows } = await onReplica.query('SELECT pg_last_wal_replay_lsn() >= $1 AS is', [
        marks[0].written,
      ])
      return rows[0].is
    }, 10_000)
  }

  /** Stops and lets go on what the replica does with what it receives. */
  async function replay(what: 'pause' | 'resume') {
    if (what === 'pause') await caughtUp()
    await onReplica.query(`SELECT pg_wal_replay_${what}()`)
    const state = what === 'pause' ? 'paused' : 'not paused'
    await until(async () => {
      const { rows } = await onReplica.query('SELECT pg_get_wal_replay_pause_state() AS state')
      return rows[0].state === state
    }, 10_000)
  }

  /** A fix that the replica does not get to know of tells where a history was read. */
  let told = DAY + 10_000_000
  async function isReadNow(): Promise<boolean> {
    told += 1_000
    await replay('pause')
    await append(store, organization, object, [fixAt(told)])
    const page = await history(true)
    const records = await recordsOf(page)
    await replay('resume')
    return records.readUIntLE(records.length - 55 + 4, 6) !== told
  }

  /** Its first process starts the others, which go on without it. */
  async function signalAll(name: NodeJS.Signals) {
    if (name === 'SIGSTOP') {
      const { rows } = await onReplica.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
      processes = rows.map(({ pid }) => pid)
    }
    replica.signal(name)
    for (const pid of processes) process.kill(pid, name)
  }

  const isRead = () => until(isReadNow, 10_000)

  it('gives first pages, and what is counted before them', async () => {
    await isRead()
    await replay('pause')
    const standing = recordsFrom(fixes).length / 55
    const read = (await recordsOf(await history(true))).length / 55
    assert.ok(read > standing)
    await append(store, organization, object, [fixAt(told + 1), fixAt(told + 2)])
    assert.equal((await recordsOf(await history(true))).length / 55, read)
    assert.equal(await store.positions.count(organization, object, ALL_TIME, 99_999, true), read)
    // Neither is what follows a page, nor anything else.
    assert.equal((await recordsOf(await history(false))).length / 55, read + 2)
    assert.equal(await store.positions.count(organization, object, ALL_TIME, 99_999), read + 2)
    await replay('resume')
    told += 2_000
  })

  it('is no laggard while the primary is idle', async () => {
    await isRead()
    await pause(LAG_MS + 500)
    await replay('pause')
    await append(store, organization, object, [fixAt(told + 1)])
    const [lagging, newest] = [await history(true), await history(false)]
    assert.equal((await recordsOf(newest)).length - (await recordsOf(lagging)).length, 55)
    await replay('resume')
    told += 1_000
  })

  it('is left out while it lags, and taken again', async () => {
    await isRead()
    await replay('pause')
    await append(store, organization, object, [fixAt(told + 1)])
    const left = await until(async () => {
      const [lagging, newest] = [await history(true), await history(false)]
      return (await recordsOf(newest)).length === (await recordsOf(lagging)).length
    }, LAG_MS + 2_000)
    assert.ok(left > LAG_MS - 1_500, `left out after ${left} ms`)
    await replay('resume')
    told += 1_000
    await isRead()
  })

  for (const how of ['is stopped', 'dies'] as const) {
    it(`${how} in the middle of a history, with which the primary goes on`, async () => {
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
        blocks.push(block)
      }
      assert.ok(performance.now() - begun < 4_000)
      assert.deepEqual(Buffer.concat(blocks), before)
      // By now it is left out: nobody waits for it.
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
