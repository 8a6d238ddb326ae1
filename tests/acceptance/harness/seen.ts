import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Deployment } from './deployment.ts'
import { inDatabase } from './in-database.ts'

/** The application name of the database connection that listens for changes. */
const LISTENER = 'fleetgate changes'
const PATIENCE_MS = 10_000

/**
 * Resolves when all servers of a deployment have seen every change made so far. With a data folder they check on
 * each request; PostgreSQL notifies them after a moment.
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

/** Whether a server has not polled since that moment. A server knows every change before its last poll. */
async function anyBehind(client: Client, since: string): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT count(*) FILTER (WHERE query_start < $2::timestamptz OR state <> 'idle') AS behind
     FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`,
    [LISTENER, since],
  )
  return Number(rows[0].behind) > 0
}
