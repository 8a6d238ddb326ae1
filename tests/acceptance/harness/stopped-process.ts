import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment } from './deployment.ts'
import { inDatabase } from './in-database.ts'
import type { ServerProcess } from './server.ts'

const AGAIN_MS = 20

/** Stops a process of a deployment at a moment at which it has no transaction, so that others can write. */
export async function stopIdle({ pid }: ServerProcess, deployment: Deployment): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP')
    if (await isFree(deployment)) return
    process.kill(pid, 'SIGCONT')
    await wait(AGAIN_MS)
  }
}

/** Whether nobody has a transaction. */
async function isFree({ folder, database }: Deployment): Promise<boolean> {
  if (folder !== undefined) return isUnlocked(join(folder, 'fleetgate.db'))
  const { rows } = await inDatabase(database!, (client) =>
    client.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
       AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`,
    ),
  )
  return rows.length === 0
}

function isUnlocked(file: string): boolean {
  using database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch {
    return false
  }
}
