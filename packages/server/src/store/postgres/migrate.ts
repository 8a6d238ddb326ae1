import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { maxOf } from '../../domain/common/any-number.ts'
import { onOwnConnection } from './connection/client.ts'
import { statement } from './connection/connections.ts'
import { UNFINISHED_COPY } from './connection/copy-blocks.ts'
import { over } from './connection/database.ts'
import { commitDurably } from './connection/server-check.ts'
import { isDeadlock, isLocked } from './connection/unavailable.ts'
import { isDistributed, layOut, notLaidOut, oneConnectionToEach } from './lay-out.ts'
import { type Migration, schema } from './schema.ts'

/** In order: number n takes a database from version n - 1 to n. */
export const MIGRATIONS: readonly Migration[] = [schema]

const OLDEST_SERVER = 150_000
const LOCK_MS = 1_000
const IN_USE_PAUSE_MS = 2_000

export class DatabaseTooNew extends Error {
  override name = 'DatabaseTooNew'
}

export class CopyUnfinished extends Error {
  override name = 'CopyUnfinished'
}

/** Any number, if every version uses the same: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS */
export const LOCK_TABLES = 'SELECT pg_advisory_lock(7305461)'

/** Creates no table, so that a program that only reads the database needs no right to do so. */
const SERVER = statement(`
  SELECT current_setting('server_version_num')::int AS version,
    to_regclass('deployment') IS NULL AS "isEmpty"
`)
const VERSION = statement('SELECT version, compatible_from AS "compatibleFrom" FROM deployment')

type Version = { version: number; compatibleFrom: number }

/**
 * Brings the database to this program's version in one transaction. If several processes open the
 * database together, one migrates it and the others wait. While another program uses a table, nobody waits for
 * the migration, which is tried again. A program that is older than the database uses it if the two are
 * compatible, so that old and new processes can run together during a replacement. Otherwise rejects with
 * `DatabaseTooNew`. Also rejects with `CopyUnfinished` and `StoreUnavailable`. New tables of a distributed
 * database are laid out.
 */
export async function migrate(
  url: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await onOwnConnection(url, async (client) => {
    await commitDurably(client)
    if (isUpToDate(await versionOf(client), migrations.length)) return
    // A migration may take long, here or in another process that holds the lock.
    await client.query('SET statement_timeout = 0')
    await client.query(LOCK_TABLES)
    while (!(await migrateUnlessInUse(client, migrations))) await sleep(IN_USE_PAUSE_MS)
  })
}

/**
 * Returns false, with nothing changed, if another program uses a table for so long, such as a backup. Everybody else
 * would wait behind this transaction, which waits for that program.
 */
async function migrateUnlessInUse(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<boolean> {
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_MS}`)
    await migrateIn(client, migrations)
    await client.query('COMMIT')
    return true
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    if (isLocked(error) || isDeadlock(error)) return false
    throw error
  }
}

async function migrateIn(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const existing = await versionOf(client)
  if (isUpToDate(existing, migrations.length)) return
  const isLaidOut = await isDistributed(client)
  if (isLaidOut) await oneConnectionToEach(client)
  for (const { text } of migrations.slice(existing.version)) await client.query(text)
  if (isLaidOut) for (const table of await notLaidOut(client)) await layOut(client, table)
  await noteVersion(client, existing.version, migrations)
}

/** The version of the data. 0: there are no tables. */
export async function versionOf(client: pg.Client): Promise<Version> {
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

async function noteVersion(
  client: pg.Client,
  before: number,
  migrations: readonly Migration[],
): Promise<void> {
  const version = migrations.length
  const compatibleFrom = maxOf(migrations.slice(before).map((each) => each.compatibleFrom))
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
