import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../../packages/server/testing/random.ts'
import { inDatabase } from '../../acceptance/harness/in-database.ts'
import type { SharedDeployment } from '../kills/shared-deployment.ts'

/** The share of kills of the postmaster; the others kill a process that serves a connection. */
const PART_POSTMASTER = 0.6
const PATIENCE_MS = 60_000

/** Kills a process of PostgreSQL. Resolves when PostgreSQL runs again, or recovers automatically. */
export async function killPostgres(
  { postgres, deployment }: Pick<SharedDeployment, 'postgres' | 'deployment'>,
  random: Random,
): Promise<void> {
  if (random.chance(PART_POSTMASTER)) await killFirstProcess(postgres)
  else await killBackend(deployment.database!, random)
}

/** PostgreSQL ends all other connections too, and recovers automatically. */
async function killBackend(database: string, random: Random): Promise<void> {
  const pids = await inDatabase(database, async (client) => {
    client.on('error', () => {})
    const { rows } = await client.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
       AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    )
    return rows.map(({ pid }) => Number(pid))
  })
  process.kill(random.pick(pids), 'SIGKILL')
}

async function killFirstProcess(postgres: SharedDeployment['postgres']): Promise<void> {
  postgres.signal('SIGKILL')
  const giveUpAt = performance.now() + PATIENCE_MS
  // It cannot start before the last process of the old one has ended.
  for (;;) {
    try {
      return await postgres.start()
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
    }
    await wait(50)
  }
}
