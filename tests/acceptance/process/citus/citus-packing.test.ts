import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS } from '../../../../packages/server/src/base/domain/time/time.ts'
import { WEEK_MS } from '../../../../packages/server/src/engine/store/position-store.ts'
import { openStore } from '../../../../packages/server/src/run/compose.ts'
import { citusIsMissing, startCitus } from '../../../../packages/server/testing/servers/citus.ts'
import {
  fixAt,
  newFleet,
  purge,
} from '../../../../packages/server/testing/store-contract/fixture.ts'
import { fleetgateJson } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'

const ORGANIZATIONS = 6
const STEP_MS = 600_000
const ROWS = 1_200
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 12 * DAY_MS
const DRIVE = Array.from({ length: ROWS }, (_, index) =>
  fixAt(START + index * STEP_MS, { latitude: 30 + index / 1_000, timeServer: START }),
)

describe('The positions of a distributed database', { skip: citusIsMissing ?? false }, () => {
  it('are packed on all workers, unpacked for late packets, and purged', async (t) => {
    const citus = await startCitus()
    t.after(() => citus.stop())
    const database = await citus.database()
    const store = await openStore({ database, allowDataLoss: true })
    t.after(() => store.close())
    const fleets = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => newFleet(store)))
    await Promise.all(fleets.map(({ append }) => append(DRIVE)))
    const recordsOf = (from = 0) => Promise.all(fleets.map(({ records }) => records({ from })))
    const countOf = (table: string) =>
      inDatabase(database, async (client) =>
        Number((await client.query(`SELECT count(*) AS rows FROM ${table}`)).rows[0].rows),
      )
    const place = ['--database', database, '--allow-data-loss']
    const before = await recordsOf()
    assert.equal(await workersOf(database), 2)

    const all = ORGANIZATIONS * ROWS
    assert.deepEqual(await fleetgateJson(['pack', ...place]), { packed: all, complete: true })
    assert.equal(await countOf('positions'), 0)
    assert.deepEqual(await recordsOf(), before)

    const late = fixAt(START + 700.5 * STEP_MS, { timeServer: START })
    for (const { append } of fleets) assert.deepEqual(await append([late]), ['accepted'])
    const unpacked = await countOf('positions')
    assert.ok(unpacked > ORGANIZATIONS && unpacked < all / 2, `${unpacked}`)
    const withLate = await recordsOf()
    assert.equal((await fleetgateJson(['pack', ...place])).packed, unpacked)
    assert.deepEqual(await recordsOf(), withLate)
    const positions = all + ORGANIZATIONS
    const sound = { positions, damaged: [], newer: [], missing: [], complete: true }
    assert.deepEqual(await fleetgateJson(['verify', ...place]), sound)

    const border = START + 5 * DAY_MS
    const kept = await recordsOf(border)
    for (const { organization } of fleets) await purge(store, organization, border)
    const counts = await Promise.all(fleets.map(({ count }) => count()))
    const isKept = ({ timeDevice }: { timeDevice: number }) => timeDevice >= border
    const unexpired = DRIVE.filter(isKept).length
    // Packed ones stay a day longer.
    for (const count of counts)
      assert.ok(count >= unexpired && count <= unexpired + 145, `${count}`)
    await store.positions.makeRoom(Date.now() + 12 * WEEK_MS)
    assert.deepEqual(await recordsOf(border), kept)
  })
})

/** The number of workers that have a block. */
async function workersOf(database: string): Promise<number> {
  const { rows } = await inDatabase(database, (client) =>
    client.query(`
      SELECT count(DISTINCT nodeport) AS workers FROM organizations JOIN citus_shards
        ON shardid = get_shard_id_for_distribution_column('position_blocks', organizations.id)`),
  )
  return Number(rows[0].workers)
}
