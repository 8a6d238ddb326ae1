import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Fleetgate, type Replica } from '../../../../packages/client/src/index.ts'
import { freePort } from '../../../../packages/server/testing/servers/free-port.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { IDENTS } from '../../harness/fleet-data.ts'
import { assertRecords, wantRecords } from '../../harness/following/derived-records.ts'
import { followFleet } from '../../harness/following/followed-fleet.ts'
import { assertIntegrity } from '../../harness/integrity.ts'
import { senderOf } from '../../harness/sender.ts'

/** Number of kills; `npm run chaos` makes hundreds, also of PostgreSQL and of one process of several. */
const KILLS = 2
/** The longest time under load before a kill. */
const LOAD_MS = 300

/** The client keeps the address of a server, which must listen there again. */
const fleet = await startFleetProcess({ full: 0, plain: 1 }, ['--port', String(await freePort())])
const sender = await senderOf(fleet, fleet.take(), '--create-objects')

/** A fraction that differs between kills and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 under followers of GET /changes, ${KILLS} times`, () => {
  it('loses no position for any of them or a copy of the client, brings none twice, and derives from each once', async (t) => {
    const known = { id: sender.objects.silent, ident: IDENTS.silent }
    const client = new Fleetgate({ baseUrl: fleet.server.api, apiKey: sender.key })
    const copy = client.replica({ positions: true })
    const leaving = new AbortController()
    const following = readAll(copy, leaving.signal)
    const followed = followFleet(sender, known, () => fleet.server.api)
    try {
      await wantRecords(fleet.deployment, sender.id)
      await followed.begin()
      for (let kill = 0; kill < KILLS; kill++) {
        await wait(spread(kill) * LOAD_MS)
        await fleet.restart((server) => server.kill())
        await followed.goOn()
      }
      const counts = await followed.finish(() => fleet.restart())
      assert.ok(counts['packets acknowledged'] > 0)
      const records = await assertRecords(fleet.deployment, sender.id)
      t.diagnostic(JSON.stringify({ ...counts, records }))
      leaving.abort()
      await following
      await copy.sync()
      await assertCopy(copy, client)
    } finally {
      leaving.abort()
      await followed.stop()
    }
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
  })
})

/** Reads pages until the signal. Anything else that ends them is a fault. */
async function readAll(copy: Replica, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of copy.follow({ signal })) {
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The copy of the client's package has the objects, latest positions and histories of the API. */
async function assertCopy(copy: Replica, client: Fleetgate): Promise<void> {
  const objects = await client.objects.list()
  assert.deepEqual(await copy.objects.list(), objects)
  const ids = objects.map(({ id }) => id)
  assert.deepEqual(await copy.positions.latest(), await client.positions.latest(ids))
  const range = { from: '2020-01-01', to: '2100-01-01' }
  for (const id of ids) {
    const rows = await Array.fromAsync(client.positions.history(id, range))
    assert.deepEqual(await Array.fromAsync(copy.positions.history(id, range)), rows)
  }
}
