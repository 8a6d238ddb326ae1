import { watch } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startFleetProcess } from '../../harness/fleet.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { assertIntegrity } from '../../harness/integrity.ts'
import { killedImport } from '../../harness/killed-import.ts'
import { quotaLoad } from '../../harness/quota-load.ts'
import { senderTo } from '../../harness/sender.ts'

/** Number of killed servers, and of killed imports; `npm run chaos` makes hundreds. */
const KILLS = 2

const fleet = await startFleetProcess({ full: 0, plain: 6 })
const organizations = Array.from({ length: 6 }, () => fleet.take())

/** A fraction that differs between kills and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 of a server under quota-charging load, ${KILLS} times`, () => {
  const QUOTA = 1_000_000
  const loads = organizations.map((organization) =>
    quotaLoad(
      senderTo(organization, () => fleet.server.feed),
      QUOTA,
    ),
  )

  async function limit(organization: number, units: number): Promise<void> {
    await fleet.run('org', 'update', String(organization), '--daily-quota', String(units))
  }

  it('loses no answered charge, and charges nothing twice', async () => {
    for (const { id } of organizations) {
      await limit(id, QUOTA)
    }
    await Promise.all(loads.map((load) => load.prepare()))
    for (let kill = 0; kill < KILLS; kill++) {
      const running = Promise.all(loads.map((load) => load.run()))
      // Some kills come with the first answers, some in the middle, some after the last.
      await wait(spread(kill) * 80)
      await fleet.restart((server) => server.kill())
      await running
      for (const load of loads) await load.assertCharged()
    }
    const [load] = loads
    await load!.assertExactlyCharged((units) => limit(organizations[0]!.id, units))
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
    await fleet.restart((server) => server.kill())
  })
})

describe(`kill -9 of a running import, ${KILLS} times`, () => {
  const ROWS = 40_000
  /** The duration of an import of so many rows. */
  const WRITING_MS = 300
  const imports = killedImport(fleet.deployment, organizations, ROWS)

  /** Resolves during the first batch of an import. */
  async function firstBatch(number: number): Promise<void> {
    const { folder, database } = fleet.deployment
    if (folder !== undefined) return firstWrites(folder)
    const { from, to } = imports.stretch(number)
    const anyStored = 'SELECT 1 FROM positions WHERE time_device >= $1 AND time_device < $2 LIMIT 1'
    await inDatabase(database!, async (client) => {
      while ((await client.query(anyStored, [from, to])).rowCount === 0) await wait(1)
    })
  }

  /** The server's own small records take fewer writes than that. */
  function firstWrites(folder: string): Promise<void> {
    return new Promise((resolve) => {
      let writes = 0
      const watcher = watch(folder, (_, name) => {
        if (name === 'fleetgate.db-wal') writes += 1
        if (writes < 30) return
        watcher.close()
        resolve()
      })
    })
  }

  it('stores the first rows of the file without gaps, including every row that a reader has seen', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await imports.kill(kill, async () => {
        await firstBatch(kill)
        await wait(WRITING_MS * spread(kill))
      })
    }
  })
})
