import { createHash } from 'node:crypto'
import type pg from 'pg'
import { runAwaiting } from '../../engine/tracking/work.ts'
import {
  type CopiedTable,
  type CopySource,
  type CopyTarget,
  copiedTablesOf,
  DEPLOYMENT_TABLES,
  ORGANIZATION_TABLES,
  POSITIONS,
  TABLES_WITH_IDS,
  TargetRefused,
} from '../copy/copy-port.ts'
import { removePositions, removeTables } from '../copy/copy-reads.ts'
import { setEpoch } from './change-log/change-rows.ts'
import { Client, clientSettings } from './connection/client.ts'
import { statement } from './connection/connection-pool.ts'
import { copyIn, lockForCopy, UNFINISHED_COPY } from './connection/copy-blocks.ts'
import { over } from './connection/database.ts'
import { commitDurably } from './connection/server-check.ts'
import { asUnavailable } from './connection/unavailable.ts'
import { copiedFrom, idSequenceOf } from './copied-rows.ts'
import { addWeeks } from './positions/partitions.ts'
import { tablesOf } from './positions/position-form.ts'
import { MIGRATIONS, migrate } from './schema.ts'
import { LISTS, sqlOf } from './tables.ts'

const NAME = 'fleetgate copy'

/** Opens a database to copy from, which servers may use meanwhile. `since`: the first day of the copied quotas. */
export async function openPostgresSource(url: string, since: number): Promise<CopySource> {
  await migrate(url)
  return connected(url, async (client) => {
    await lockForCopy(client, 'read')
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return { ...copiedFrom(client, since), close: () => client.end() }
  })
}

/**
 * Opens a database to copy a deployment into. It must be empty, or hold a copy of that deployment that is
 * unfinished or has not been written to since. No program uses it until the copy is finished. Rejects with
 * `TargetRefused` or `StoreUnavailable`.
 */
export async function openPostgresTarget(
  url: string,
  secret: Buffer,
  since: number,
): Promise<CopyTarget> {
  return connected(url, async (client) => {
    await lockForCopy(client, 'write')
    await assertUnused(client)
    const { rows } = await client.query(`SELECT to_regclass('copied') IS NOT NULL AS begun`)
    if (!rows[0].begun) await claim(client, url, secret)
    await resume(client, url, secret, since)
    return targetOver(client, since)
  })
}

async function connected<T>(url: string, open: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Client({
    ...clientSettings(url),
    application_name: NAME,
    // COPY needs its connection for itself until it has ended.
    pipeline: false,
  })
  // The running query, or the next one, gets the error that breaks a connection.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(SETTINGS)
    await commitDurably(client)
    return await open(client)
  } catch (error) {
    await client.end().catch(() => {})
    throw asUnavailable(error)
  }
}

/** Removes the time limits of the server, because one statement copies many rows. */
const SETTINGS = `
  SET statement_timeout = 0;
  SET lock_timeout = 0;
  SET idle_in_transaction_session_timeout = 0;
  SET work_mem = '64MB'`

async function assertUnused(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    SELECT EXISTS (
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'fleetgate'
    ) AS used`)
  if (rows[0].used) {
    throw new TargetRefused('A Fleetgate server is using the target database: stop it first')
  }
}

/** `finished_as`: the result of `witnessOf` at the end of the copy; null before. */
const COPIED = `
  CREATE TABLE copied (
    id int PRIMARY KEY CHECK (id = 1),
    compatible_from int NOT NULL,
    finished_as text
  )`
const CLAIM = statement(`
  WITH claimed AS (INSERT INTO copied SELECT 1, compatible_from, NULL FROM deployment)
  UPDATE deployment SET secret = $1, compatible_from = ${UNFINISHED_COPY}`)
const COPY_STATE = statement(`
  SELECT secret, version, copied.compatible_from AS "compatibleFrom", finished_as AS "finishedAs"
  FROM deployment, copied`)
const RESUME = statement(`
  WITH resumed AS (UPDATE copied SET finished_as = NULL, compatible_from = $1)
  UPDATE deployment SET compatible_from = ${UNFINISHED_COPY}`)
const FINISH = statement(`
  WITH finished AS (UPDATE copied SET finished_as = $1)
  UPDATE deployment SET compatible_from = copied.compatible_from FROM copied`)

/** Whether the database is in use. The link of the first operator does not count, because a server creates one at its first start. */
const USED = `
  SELECT EXISTS (SELECT FROM organizations) OR EXISTS (SELECT FROM changes)
    OR EXISTS (SELECT FROM audit_log)
    OR EXISTS (SELECT FROM accounts)
    OR EXISTS (SELECT FROM access_credentials WHERE kind = 'token') AS used`

/** Marks an empty database as the target of a copy. */
async function claim(client: pg.Client, url: string, secret: Buffer): Promise<void> {
  await migrate(url)
  const { rows } = await client.query(USED)
  if (rows[0].used) {
    throw new TargetRefused('The target database is not empty: use an empty or a new one')
  }
  await client.query('BEGIN')
  await client.query(COPIED)
  await over(client).run(CLAIM, [secret])
  await client.query('COMMIT')
}

type CopyState = {
  secret: Buffer
  version: number
  compatibleFrom: number
  finishedAs: string | null
}

/** Continues a copy. Rejects with `TargetRefused` if the database is not a copy of this deployment any more. */
async function resume(client: pg.Client, url: string, secret: Buffer, since: number) {
  const { query, run } = over(client)
  const [copied] = await query<CopyState>(COPY_STATE)
  if (!copied!.secret.equals(secret)) {
    throw new TargetRefused(
      'The target database has a copy of another deployment: use an empty one',
    )
  }
  if (copied!.finishedAs === null) {
    if (copied!.version === MIGRATIONS.length) return
    throw new TargetRefused(
      'The copy was started by another version of Fleetgate: continue with that version, or start again with an empty database',
    )
  }
  await migrate(url)
  if ((await witnessOf(client, since)) !== copied!.finishedAs) {
    throw new TargetRefused(
      'The target database has changed since the copy: use an empty or a new one',
    )
  }
  const [now] = await query<CopyState>(COPY_STATE)
  await run(RESUME, [now!.compatibleFrom])
}

const NEWEST_OF_EACH = statement(
  'SELECT organization, newest FROM sequences WHERE organization = ANY($1) ORDER BY organization',
)

/** A hash that changes with each write of a program that uses the database. */
async function witnessOf(client: pg.Client, since: number): Promise<string> {
  const { facts, organizations } = copiedFrom(client, since)
  const { sequence, lastIds: given } = await facts()
  // A server that starts without an account makes a link for the first operator.
  const { access_credentials: _, ...lastIds } = given
  const newest = await over(client).query(NEWEST_OF_EACH, [await organizations()])
  return createHash('sha256').update(JSON.stringify({ sequence, lastIds, newest })).digest('hex')
}

const SETTLE = statement('UPDATE sequences SET newest = $2 WHERE organization = ANY($1)')

function targetOver(client: pg.Client, since: number): CopyTarget {
  const { run } = over(client)
  const sql = sqlOf(over(client))
  const parts = { dialect: LISTS, tablesOf }
  const reading = copiedFrom(client, since)

  const unavailable = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => {
    return (...args: Args) =>
      work(...args).catch((error): never => {
        throw asUnavailable(error)
      })
  }

  return {
    ...reading,
    expect: unavailable((weeks) => addWeeks(client, weeks)),
    replace: unavailable((organization, rows) =>
      inTransaction(client, async () => {
        await runAwaiting(removeTables(sql, organization))
        for (const table of copiedTablesOf(organization))
          await copyIn(client, copyOf(table), rows(table))
      }),
    ),
    removePositions: unavailable((part) =>
      inTransaction(client, () => runAwaiting(removePositions(parts, sql, part))),
    ),
    addPositions: (blocks) => copyIn(client, copyOf(POSITIONS), blocks),
    remove: unavailable((organization) =>
      inTransaction(client, () => runAwaiting(removeTables(sql, organization))),
    ),
    settle: unavailable(async ({ sequence, epoch, lastIds }) => {
      await run(SETTLE, [await reading.organizations(), sequence])
      await setEpoch(over(client), epoch)
      for (const table of TABLES_WITH_IDS) {
        const last = lastIds[table]
        const values = [idSequenceOf(table), Math.max(last, 1), last > 0]
        await run(SET_LAST_ID, values)
      }
    }),
    finish: unavailable(async () => {
      // Without this, the first histories could not be read from the index alone, and their plans would be bad.
      const tables = [POSITIONS, ...ORGANIZATION_TABLES, ...DEPLOYMENT_TABLES]
        .map(({ name }) => name)
        .join(', ')
      await client.query(`VACUUM (ANALYZE, SKIP_LOCKED) ${tables}`)
      await run(FINISH, [await witnessOf(client, since)])
    }),
    close: () => client.end(),
  }
}

const SET_LAST_ID = statement('SELECT setval($1::text::regclass, $2, $3)')

function copyOf({ name, columns }: CopiedTable): string {
  return `COPY ${name} (${Object.keys(columns).join(', ')}) FROM STDIN (FORMAT binary)`
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
  await client.query('COMMIT')
}
