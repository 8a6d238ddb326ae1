import type { DatabaseSync } from 'node:sqlite'
import type { Database } from './database/database.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { feed } from './migrations/0002-feed.ts'
import { tracking } from './migrations/0003-tracking.ts'
import { operator } from './migrations/0004-operator.ts'
import { signInAttempts } from './migrations/0005-sign-in-attempts.ts'
import { objectLimits } from './migrations/0006-object-limits.ts'
import { tokenScopes } from './migrations/0007-token-scopes.ts'
import { refusedIdents } from './migrations/0008-refused-idents.ts'
import { signalTimeout } from './migrations/0009-signal-timeout.ts'
import { changeLog } from './migrations/0010-change-log.ts'
import { webhooks } from './migrations/0011-webhooks.ts'
import { records } from './migrations/0012-records.ts'
import { timeZone } from './migrations/0013-time-zone.ts'
import { keyScopes } from './migrations/0014-key-scopes.ts'
import { coverage } from './migrations/0015-coverage.ts'
import { disclosures } from './migrations/0016-disclosures.ts'
import { testKeys } from './migrations/0017-test-keys.ts'
import { failedTasks } from './migrations/0018-failed-tasks.ts'
import { placeLimits } from './migrations/0019-place-limits.ts'

/** Migration number n takes a database from version n - 1 to n. A released one never changes. */
const MIGRATIONS: ((writer: DatabaseSync) => void)[] = [
  firstTables,
  feed,
  tracking,
  operator,
  signInAttempts,
  objectLimits,
  tokenScopes,
  refusedIdents,
  signalTimeout,
  changeLog,
  webhooks,
  records,
  timeZone,
  keyScopes,
  coverage,
  disclosures,
  testKeys,
  failedTasks,
  placeLimits,
]

/** The version to which this program brings a database. */
export const KNOWN_VERSION = MIGRATIONS.length

export class DataFolderTooNew extends Error {
  override name = 'DataFolderTooNew'
}

/**
 * Migrates the database to this program's version in one transaction. If several processes open it at
 * once, one does the work.
 */
export async function migrate(database: Database): Promise<void> {
  if (database.read(() => versionOf(database)) === KNOWN_VERSION) return
  const { writer } = database
  await database.write(() => {
    const version = versionOf(database)
    for (const step of MIGRATIONS.slice(version)) step(writer)
    if (version < KNOWN_VERSION) writer.exec(`PRAGMA user_version = ${KNOWN_VERSION}`)
  })
}

function versionOf({ file, writer }: Database): number {
  const { user_version: version } = writer.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version <= KNOWN_VERSION) return version
  throw new DataFolderTooNew(
    `${file} is of data version ${version} and this Fleetgate knows versions up to ${KNOWN_VERSION}: run the newer Fleetgate that made it, or restore a backup from before.`,
  )
}
