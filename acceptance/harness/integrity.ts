import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLite finds nothing wrong with the database of a data folder. */
export function assertIntegrity(data: string): void {
  const database = new DatabaseSync(join(data, 'fleetgate.db'))
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
