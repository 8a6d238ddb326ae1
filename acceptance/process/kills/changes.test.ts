import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
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

const fleet = await startFleetProcess({ full: 0, plain: 1 })
const sender = await senderOf(fleet, fleet.take(), '--create-objects')

/** A fraction that differs between kills and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 under followers of GET /changes, ${KILLS} times`, () => {
  it('loses no position for any of them, brings none twice, and derives from each once', async (t) => {
    const known = { id: sender.objects.silent, ident: IDENTS.silent }
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
    } finally {
      await followed.stop()
    }
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
  })
})
