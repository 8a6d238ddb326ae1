import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { over } from './database.ts'
import { commitDurably } from './durability.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { operator } from './migrations/0002-operator.ts'
import { signInAttempts } from './migrations/0003-sign-in-attempts.ts'
import { objectLimits } from './migrations/0004-object-limits.ts'
import { tokenScopes } from './migrations/0005-token-scopes.ts'
import { refusedIdents } from './migrations/0006-refused-idents.ts'
import { onOwnConnection } from './own-connection.ts'
import { statement } from './statement.ts'
import { UNFINISHED_COPY } from './unfinished-copy.ts'

/** Takes a database one version on. What was released never changes. */
export type Migration = {
  text: string
  /** The oldest version of which a program can go on using the database afterwards. */
  compatibleFrom: number
}

/** In order; number n takes a database from version n - 1 to n. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  operator,
  signInAttempts,
  objectLimits,
  tokenScopes,
  refusedIdents,
]

const OLDEST_SERVER = 150_000

export class DatabaseTooNew extends Error {
  override name = 'DatabaseTooNew'
}

export class CopyUnfinished extends Error {
  override name = 'CopyUnfinished'
}

/** Any number, but the same in every version: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS */
const LOCK = 'SELECT pg_advisory_lock(7305461)'

/** In the database alone, so that a program that only reads it needs no right to make tables. */
const SERVER = statement(`
  SELECT current_setting('server_version_num')::int AS version,
    to_regclass('deployment') IS NULL AS "isEmpty"
`)
const VERSION = statement('SELECT version, compatible_from AS "compatibleFrom" FROM deployment')

type Version = { version: number; compatibleFrom: number }

/**
 * Brings the database to this program's version, all in one transaction: of several processes that
 * open it together one does the work and the others find it done. A program that is older than the
 * database uses it as it is where that is compatible, so that old and new ones can run together while
 * they are being replaced. Rejects with `DatabaseTooNew` where it is not, or with `StoreUnavailable`.
 */
export async function migrate(
  url: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  // Without time limits: a migration may take long, and so may waiting for another process's.
  await onOwnConnection(url, async (client) => {
    await commitDurably(client)
    if (isUpToDate(await versionOf(client), migrations.length)) return
    await client.query(LOCK)
    await client.query('BEGIN')
    const standing = await versionOf(client)
    if (isUpToDate(standing, migrations.length)) return
    for (const { text } of migrations.slice(standing.version)) await client.query(text)
    await note(client, standing.version, migrations)
    await client.query('COMMIT')
  })
}

async function versionOf(client: pg.Client): Promise<Version> {
  const [server] = await over(client).query<{ version: number; isEmpty: boolean }>(SERVER)
  if (server!.version < OLDEST_SERVER) {
    throw new Error('This PostgreSQL is older than version 15: Fleetgate needs 15 or newer.')
  }
  if (server!.isEmpty) return { version: 0, compatibleFrom: 0 }
  return (await over(client).query<Version>(VERSION))[0]!
}

function isUpToDate({ version, compatibleFrom }: Version, own: number): boolean {
  if (compatibleFrom === UNFINISHED_COPY) {
    throw new CopyUnfinished(
      "The copy to this database was not finished: run the same 'fleetgate copy' again.",
    )
  }
  if (compatibleFrom > own) {
    throw new DatabaseTooNew(
      `The database is of data version ${version} and this Fleetgate knows versions up to ${own}: run the newer Fleetgate that brought it there, or restore a backup from before.`,
    )
  }
  return version >= own
}

async function note(
  client: pg.Client,
  before: number,
  migrations: readonly Migration[],
): Promise<void> {
  const version = migrations.length
  const compatibleFrom = Math.max(...migrations.slice(before).map((each) => each.compatibleFrom))
  if (before > 0) {
    await client.query(
      'UPDATE deployment SET version = $1, compatible_from = greatest(compatible_from, $2)',
      [version, compatibleFrom],
    )
    return
  }
  await client.query(`
    CREATE TABLE deployment (
      id int PRIMARY KEY CHECK (id = 1),
      secret bytea NOT NULL,
      version int NOT NULL,
      compatible_from int NOT NULL
    )
  `)
  await client.query('INSERT INTO deployment VALUES (1, $1, $2, $3)', [
    randomBytes(32),
    version,
    compatibleFrom,
  ])
}
