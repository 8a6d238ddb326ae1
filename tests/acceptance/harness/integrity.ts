import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Deployment } from './deployment.ts'

/** Checks that SQLite finds its database intact. PostgreSQL checks its own. */
export function assertIntegrity({ folder }: Deployment): void {
  if (folder === undefined) return
  const database = new DatabaseSync(join(folder, 'fleetgate.db'))
  try {
    const rows = database.prepare('PRAGMA integrity_check').all()
    assert.deepEqual(
      rows.map((row) => row.integrity_check),
      ['ok'],
    )
  } finally {
    database.close()
  }
}
