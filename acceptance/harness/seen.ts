import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Deployment } from './deployment.ts'
import { inDatabase } from './in-database.ts'

/** How its servers name the connection over which they hear of changes. */
const LISTENER = 'fleetgate changes'
const PATIENCE_MS = 10_000

/**
 * Resolves when a deployment's servers have heard of all that was done up to now. Over a data folder
 * they look for themselves with each request; PostgreSQL tells them, which takes a moment.
 */
export async function seen({ database }: Deployment): Promise<void> {
  if (database === undefined) return
  await inDatabase(database, async (client) => {
    const { rows } = await client.query('SELECT clock_timestamp()::text AS now')
    const giveUpAt = performance.now() + PATIENCE_MS
    while (await anyBehind(client, rows[0].now)) {
      if (performance.now() > giveUpAt) throw new Error('a server does not hear of changes')
      await wait(5)
    }
  })
}

/** Whether a server has not asked since: what was answered after that moment it knows. */
async function anyBehind(client: Client, since: string): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT count(*) FILTER (WHERE query_start < $2::timestamptz OR state <> 'idle') AS behind
     FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`,
    [LISTENER, since],
  )
  return Number(rows[0].behind) > 0
}
