import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { maxOf } from '../../base/domain/common/any-number.ts'
import { TABLES } from '../tables/shared-tables.ts'
import { type Column, type ColumnType, indexesOf, partsOf, type Table } from '../tables/table.ts'
import { onOwnConnection } from './connection/client.ts'
import { statement } from './connection/connection-pool.ts'
import { UNFINISHED_COPY } from './connection/copy-blocks.ts'
import { over } from './connection/database.ts'
import { commitDurably } from './connection/server-check.ts'
import { isDeadlock, isLocked } from './connection/unavailable.ts'
import { isDistributed, layOut, notLaidOut, oneConnectionToEach } from './lay-out.ts'

/*
 * This file creates the tables of a database, and migrates them to the version of this program.
 */

/** Takes a database from one version to the next. A released migration never changes. */
export type Migration = {
  /** One or more SQL statements. */
  text: string
  /** The oldest version whose programs can use the database afterwards. */
  compatibleFrom: number
}

const TYPES: Record<ColumnType, string> = {
  int8: 'bigint',
  int4: 'int',
  bool: 'boolean',
  float8: 'double precision',
  text: 'text',
  bytea: 'bytea',
}

const GOES_WITH = 'ON DELETE CASCADE'

/**
 * Creates a table with its indexes. Items are on their organization's server, and other
 * organizations may be on other servers.
 */
function createTable(table: Table): string {
  const { name, columns, key, of, postgres = {} } = table
  const lines = [
    ...Object.entries(columns).map(([column, kind]) => columnOf(table, column, kind)),
    `PRIMARY KEY (${key.join(', ')})`,
    ...(table.unique ?? []).map((unique) => `UNIQUE (${unique})`),
    ...(of === 'objects' && !postgres.isOfNone
      ? [`FOREIGN KEY (organization, object) REFERENCES objects ${GOES_WITH}`]
      : []),
  ]
  const { fillfactor } = postgres
  const form = fillfactor === undefined ? '' : ` WITH (fillfactor = ${fillfactor})`
  return [`CREATE TABLE ${name} (${lines.join(', ')})${form};`, ...indexesOf(table)].join('\n')
}

function columnOf(table: Table, column: string, kind: Column): string {
  const { type, isOptional } = partsOf(kind)
  const { key, of, ids, defaults, isSingle, references, postgres } = table
  const isOwner = column === 'organization' && of === 'organizations' && ids !== 'item'
  const parent = isOwner ? of : references?.[column]
  return [
    `${column} ${TYPES[type]}`,
    postgres?.bytewise?.includes(column) ? 'COLLATE "C"' : '',
    isOptional ? '' : 'NOT NULL',
    column === 'id' && ids === 'own' ? 'GENERATED ALWAYS AS IDENTITY' : '',
    key[0] === column && isSingle ? `CHECK (${column} = 1)` : '',
    defaults?.includes(column) ? `DEFAULT ${type === 'bool' ? 'false' : '0'}` : '',
    parent === undefined ? '' : `REFERENCES ${parent} ${GOES_WITH}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/**
 * There are two sorts of tables, so that they can be distributed over several servers unchanged
 * (`lay-out.ts`): small ones that are copied to each server, and those whose keys and statements begin with
 * the organization.
 */

/** `epoch_of` names the database for which the epoch was made. */
const CHANGES = `
-- What was announced of an organization outlives it.
CREATE TABLE changes (
  organization bigint NOT NULL,
  topic text NOT NULL,
  sequence bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization, topic)
);
CREATE INDEX changes_by_xid ON changes (xid);

-- Updated with every write.
CREATE TABLE sequences (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  newest bigint NOT NULL DEFAULT 0,
  objects bigint NOT NULL DEFAULT 0,
  states bigint NOT NULL DEFAULT 0,
  logged bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE change_epoch (
  id int PRIMARY KEY CHECK (id = 1),
  epoch text NOT NULL,
  epoch_of text NOT NULL
);
INSERT INTO change_epoch VALUES (1, '', '');
`

const IDS = `
-- The ids that are taken, in the whole deployment: a key of a distributed table does not know.
CREATE TABLE ids (
  kind text NOT NULL,
  id bigint NOT NULL,
  organization bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX ids_by_organization ON ids (organization);
${TABLES.flatMap(({ name, ids }) => (ids === 'item' ? `CREATE SEQUENCE ${name}_id;` : [])).join('\n')}
`

/** Each position has its part of the fold (`track`, see `engine/tracking/stored-position.ts`), and the change that hid it. */
const POSITIONS = `
-- A history is read from the key's index alone. One partition a week, made ahead by upkeep.
CREATE TABLE positions (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  time_device bigint NOT NULL,
  change bigint NOT NULL,
  hidden bigint,
  fix bytea NOT NULL,
  track bytea NOT NULL,
  PRIMARY KEY (organization, object, time_device) INCLUDE (change, hidden, fix)
) PARTITION BY RANGE (time_device);
ALTER TABLE positions ALTER COLUMN fix SET STORAGE PLAIN;
CREATE TABLE positions_default PARTITION OF positions DEFAULT;
-- Blocks are compressed already.
ALTER TABLE position_blocks ALTER COLUMN block SET STORAGE EXTERNAL;
`

/** The lasting copy of the quota counters. */
const QUOTA_COUNTS = `
CREATE TABLE quota_counts (
  organization bigint NOT NULL,
  day int NOT NULL,
  object bigint NOT NULL,
  hundredths bigint NOT NULL,
  PRIMARY KEY (organization, day, object)
);
`

const ACCESS = 'INSERT INTO access_settings (id, requires_totp) VALUES (1, false);'

/** The first migration: makes the tables of an empty database. */
export const schema: Migration = {
  text: [...TABLES.map(createTable), ...[CHANGES, IDS, POSITIONS, QUOTA_COUNTS, ACCESS]].join('\n'),
  compatibleFrom: 1,
}

/**
 * The second migration: version 2 of the rules of movement, whose states a program of data version 1 cannot read. A new
 * database has the column.
 */
const secondRules: Migration = {
  text: 'ALTER TABLE tracker_moves ADD COLUMN IF NOT EXISTS requested_at bigint NOT NULL DEFAULT 0',
  compatibleFrom: 2,
}

/** In order: number n takes a database from version n - 1 to n. */
export const MIGRATIONS: readonly Migration[] = [schema, secondRules]

const OLDEST_SERVER = 150_000
const LOCK_MS = 1_000
const IN_USE_PAUSE_MS = 2_000

export class DatabaseTooNew extends Error {
  override name = 'DatabaseTooNew'
}

class CopyUnfinished extends Error {
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
    // A migration may take a long time, here or in another process that holds the lock.
    await client.query('SET statement_timeout = 0')
    await client.query(LOCK_TABLES)
    while (!(await migrateUnlessInUse(client, migrations))) await sleep(IN_USE_PAUSE_MS)
  })
}

/**
 * Returns false, with nothing changed, if another program, such as a backup, uses a table for longer than that.
 * Everybody else would wait for this transaction, which waits for that program.
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
      `The database has data version ${version}, but this Fleetgate supports versions up to ${own}: run the newer Fleetgate that upgraded it, or restore an earlier backup.`,
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
