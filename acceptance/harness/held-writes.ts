import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Deployment } from './deployment.ts'

/** Blocks all other writers of positions, as a long transaction does. */
export async function holdWrites({ folder, database }: Deployment): Promise<() => Promise<void>> {
  if (folder !== undefined) {
    const connection = new DatabaseSync(join(folder, 'fleetgate.db'))
    connection.exec('BEGIN IMMEDIATE')
    return async () => {
      connection.exec('ROLLBACK')
      connection.close()
    }
  }
  const client = new pg.Client({ connectionString: database! })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE positions IN SHARE ROW EXCLUSIVE MODE')
  return async () => {
    await client.query('ROLLBACK')
    await client.end()
  }
}
