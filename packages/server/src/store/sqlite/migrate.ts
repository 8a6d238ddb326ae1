import type { DatabaseSync } from 'node:sqlite'
import type { Database } from './database/database.ts'
import { schema } from './schema.ts'

/** Takes a database from one version to the next. A released one never changes. */
export type Migration = (writer: DatabaseSync) => void

/** In order: number n takes a database from version n - 1 to n. */
export const MIGRATIONS: readonly Migration[] = [schema]

/** The version to which this program brings a database. */
export const KNOWN_VERSION = MIGRATIONS.length

export class DataFolderTooNew extends Error {
  override name = 'DataFolderTooNew'
}

/**
 * Migrates the database to this program's version in one transaction. If several processes open it at
 * once, one does the work.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const wanted = migrations.length
  if (database.read(() => versionOf(database, wanted)) === wanted) return
  const { writer } = database
  await database.write(() => {
    const version = versionOf(database, wanted)
    for (const step of migrations.slice(version)) step(writer)
    if (version < wanted) writer.exec(`PRAGMA user_version = ${wanted}`)
  })
}

function versionOf({ file, writer }: Database, known: number): number {
  const { user_version: version } = writer.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version <= known) return version
  throw new DataFolderTooNew(
    `${file} is of data version ${version} and this Fleetgate knows versions up to ${known}: run the newer Fleetgate that made it, or restore a backup from before.`,
  )
}
