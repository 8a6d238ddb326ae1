import { watch } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startFleet } from './harness/fleet.ts'
import { inDatabase } from './harness/in-database.ts'
import { assertIntegrity } from './harness/integrity.ts'
import { killedImport } from './harness/killed-import.ts'
import { quotaLoad } from './harness/quota-load.ts'

/** How many servers and how many imports are killed; `npm run chaos` does it by the hundred. */
const KILLS = 2

const fleet = await startFleet({ full: 0, plain: 6 })
const organizations = Array.from({ length: 6 }, () => fleet.take())

/** A fraction that differs from kill to kill and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 of a server under quota-charging load, ${KILLS} times`, () => {
  const QUOTA = 1_000_000
  const loads = organizations.map((organization) => quotaLoad(organization, QUOTA))

  it('loses no charge that was answered, and charges nothing twice', async () => {
    for (const { id } of organizations) {
      await fleet.run('org', 'update', String(id), '--daily-quota', String(QUOTA))
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const running = Promise.all(loads.map((load) => load.run()))
      // Some kills come with the first answers, some in the midst of them, some after the last.
      await wait(spread(kill) * 80)
      await fleet.restart('kill')
      await running
      for (const load of loads) await load.assertCharged()
    }
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
    await fleet.restart('kill')
  })
})

describe(`kill -9 of a running import, ${KILLS} times`, () => {
  const ROWS = 40_000
  /** How long an import of so many rows writes. */
  const WRITING_MS = 300
  const imports = killedImport(fleet.deployment, organizations, ROWS)

  /** Resolves in the first batch of an import. */
  async function firstBatch(number: number): Promise<void> {
    const { folder, database } = fleet.deployment
    if (folder !== undefined) return firstWrites(folder)
    const { from, to } = imports.stretch(number)
    const standing = 'SELECT 1 FROM positions WHERE time_device >= $1 AND time_device < $2 LIMIT 1'
    await inDatabase(database!, async (client) => {
      while ((await client.query(standing, [from, to])).rowCount === 0) await wait(1)
    })
  }

  /** The server's own small notes take fewer writes than that. */
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

  it('leaves the first rows of the file, whole, and what a reader has seen among them', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await imports.kill(kill, async () => {
        await firstBatch(kill)
        await wait(WRITING_MS * spread(kill))
      })
    }
  })
})
