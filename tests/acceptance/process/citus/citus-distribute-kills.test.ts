import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Citus,
  newCitusDatabase,
  startCitus,
} from '../../../../packages/server/testing/servers/citus.ts'
import { skipCitusTrial } from '../../harness/citus-trial.ts'
import { inFolder } from '../../harness/deployment.ts'
import { fleetgateJson, type Json, start } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { makeFleet } from '../../harness/make-fleet.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

/** `fleetgate distribute` of a database with data is killed and repeated. `npm run acceptance:citus-kills`. */
const KILLS = 10
const FLEET = { full: 4, plain: 12 }

describe('A killed distribute', { skip: skipCitusTrial ?? false }, () => {
  let citus: Citus
  let data: string
  let made = 0

  before(async () => {
    if (skipCitusTrial !== undefined) return
    citus = await startCitus()
    data = join(temporaryFolder(), 'data')
    await makeFleet(inFolder(data), FLEET)
  })
  after(() => citus?.stop())

  /** A database of the Citus with the fleet, all of it on the coordinator. */
  async function filledDatabase(): Promise<string> {
    const servers = [citus.url, ...citus.workerUrls]
    const database = await newCitusDatabase(servers, `killed_${made++}`, { isLaidOut: false })
    await fleetgateJson(['copy', '--from', data, '--to', database])
    return database
  }

  /** All that must be equal: rows, layout, and nothing that a killed run left anywhere. */
  async function contentsOf(database: string): Promise<object> {
    const copied = ['copy', '--from', database, '--to', join(temporaryFolder(), 'copy')]
    const { tables } = await fleetgateJson(copied)
    const strays = await Promise.all(citus.workerUrls.map((worker) => straysOf(database, worker)))
    return { tables, layout: await layoutOf(database), strays: strays.flat() }
  }

  it('ends equal when it is repeated', async (t) => {
    const reference = await filledDatabase()
    const { tables } = (await contentsOf(reference)) as { tables: Json }
    const beganAt = performance.now()
    assert.equal(await endsBefore(reference, undefined), true)
    const tookMs = performance.now() - beganAt
    const expected = await contentsOf(reference)
    assert.deepEqual((expected as { tables: Json }).tables, tables)
    assert.deepEqual((expected as { strays: string[] }).strays, [])
    t.diagnostic(`${tables.positions.rows} positions; without a kill ${Math.round(tookMs)} ms`)
    for (let kills = 0; kills < KILLS; ) {
      const database = await filledDatabase()
      const moments: number[] = []
      for (;;) {
        const moment = Math.random() * tookMs
        if (await endsBefore(database, moment)) break
        moments.push(Math.round(moment))
      }
      kills += moments.length
      t.diagnostic(`killed after ${moments.join(', ') || 'no'} ms`)
      assert.deepEqual(await contentsOf(database), expected)
    }
  })
})

/** Distributes a database. Returns false if the command was killed after this many milliseconds. */
async function endsBefore(database: string, killedAfterMs: number | undefined): Promise<boolean> {
  const child = start(['distribute', '--database', database])
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const exited = once(child, 'exit')
  if (killedAfterMs !== undefined) {
    await Promise.race([exited, wait(killedAfterMs)])
    child.kill('SIGKILL')
  }
  const [code, signal] = await exited
  if (signal === 'SIGKILL') return false
  assert.equal(code, 0, stderr)
  return true
}

/** How each table is laid out, into how many shards, and which ones still have rows on the coordinator. */
function layoutOf(database: string): Promise<object[]> {
  return inDatabase(database, async (client) => {
    const { rows } = await client.query(`
      SELECT logicalrelid::text AS name, partmethod, repmodel, column_to_column_name(logicalrelid, partkey) AS key,
        partmethod = 'h' AND pg_relation_size(logicalrelid) > 0 AS "hasLocalRows",
        (SELECT count(*) FROM pg_dist_shard WHERE pg_dist_shard.logicalrelid = p.logicalrelid) AS shards
      FROM pg_dist_partition AS p ORDER BY 1`)
    return rows
  })
}

/** The tables of a worker that look like shards, and belong to no table. */
function straysOf(database: string, worker: string): Promise<string[]> {
  const own = new URL(worker)
  own.pathname = new URL(database).pathname
  return inDatabase(own.href, async (client) => {
    await client.query('SET citus.override_table_visibility = off')
    const { rows } = await client.query(`
      SELECT relname AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND relname ~ '_[0-9]{6,}$' AND NOT EXISTS (
        SELECT FROM pg_dist_shard WHERE relname LIKE '%\\_' || shardid)`)
    return rows.map(({ name }) => name)
  })
}
