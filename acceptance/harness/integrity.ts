import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Deployment } from './deployment.ts'

/** SQLite finds nothing wrong with its database; that PostgreSQL's is sound is PostgreSQL's to say. */
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
