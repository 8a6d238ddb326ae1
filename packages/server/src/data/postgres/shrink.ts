import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { OnShrinking, Shrunk } from '../../engine/store/store-status.ts'
import { type Client, onOwnConnection } from './connection/client.ts'
import { commitDurably } from './connection/server-check.ts'
import { isLocked } from './connection/unavailable.ts'
import { ALL_TABLES, isDistributed } from './lay-out.ts'
import { LOCK_PARTITIONS } from './positions/partitions.ts'

/** ANALYZE keeps samples of rows in a catalog, which the owner of the database may rewrite. */
const SAMPLES = 'pg_statistic'

/**
 * Large tables come first, because they take longest. Partitions are tables of their own. PostgreSQL passes over a table that
 * the role may not rewrite, with a warning.
 */
const TABLES = `
  SELECT oid::regclass::text AS name, pg_total_relation_size(oid)::bigint AS bytes,
    inhrelid IS NOT NULL AS "isPartition"
  FROM pg_class LEFT JOIN pg_inherits ON inhrelid = oid AND inhparent = to_regclass('positions')
  WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace
    AND (relname = ANY($1) OR inhrelid IS NOT NULL)
  ORDER BY bytes DESC, name`
const SIZE = 'SELECT pg_database_size(current_database()) AS bytes'

/**
 * Selects one holder of rows that were deleted before `$1`: a rewrite keeps rows that somebody may still see. Writers count
 * too, even without a snapshot. A session without a database sends the log to a replica that asks for its rows. A running
 * VACUUM holds nothing. Rows of the catalog (`$2`) also stay for logical replication.
 */
const OLDER = `
  SELECT 'session ' || pid AS who FROM pg_stat_activity
  WHERE coalesce(datname, current_database()) = current_database() AND pid <> pg_backend_pid()
    AND greatest(age(backend_xmin), age(backend_xid)) > age($1::xid)
    AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
  UNION ALL
  SELECT 'prepared transaction ' || gid FROM pg_prepared_xacts
  WHERE database = current_database() AND age(transaction) > age($1::xid)
  UNION ALL
  SELECT 'replication slot ' || slot_name FROM pg_replication_slots
  WHERE greatest(age(xmin), CASE WHEN $2 THEN age(catalog_xmin) END) > age($1::xid)
  LIMIT 1`
const NOW = 'SELECT pg_current_xact_id()::xid::text AS xid'

/** Citus runs a statement on each worker, outside a transaction. It drops the warning of one that does nothing. */
const ON_WORKERS = `
  SELECT nodename || ':' || nodeport AS worker, success, result FROM run_command_on_workers($1)`
const MAY_REWRITE = `
  SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()`
const REWRITE = `VACUUM (FULL) ${SAMPLES}`

type Answer = { worker: string; success: boolean; result: string }

const LOOK_EVERY_MS = 500
/** A waiting exclusive lock makes all later statements on the table wait too. */
const LOCK_MS = 1_000
const TRIES = 60

const SEGMENTS = "FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name"
/** A checkpoint needs none of them, but an archive or a replica may. */
const OLD = `SELECT ${SEGMENTS} < (SELECT redo_wal_file FROM pg_control_checkpoint())`
/**
 * PostgreSQL renames old segments for later use, with all that is in them. The statement begins each one, and fills it with
 * zeros.
 */
const USE_UP = `
  DO $$ BEGIN
    FOR i IN 0..(SELECT count(*) ${SEGMENTS} > pg_walfile_name(pg_current_wal_lsn())) LOOP
      PERFORM pg_logical_emit_message(true, 'shrink', '');
      PERFORM pg_switch_wal();
    END LOOP;
  END $$`

/**
 * Rewrites each table of a database without deleted rows, which locks that one table, and then overwrites the log of the server,
 * if the role may do that. Rejects with `StoreUnavailable`.
 */
export function shrinkDatabase(
  url: string,
  onProgress: OnShrinking,
  signal: AbortSignal,
): Promise<Shrunk> {
  return onOwnConnection(url, (client) => shrink(client, onProgress, signal), { pipeline: false })
}

async function shrink(
  client: Client,
  onProgress: OnShrinking,
  signal: AbortSignal,
): Promise<Shrunk> {
  const skipped: string[] = []
  client.on('notice', ({ code, message }) => {
    if (code === WARNING) skipped.push(message ?? '')
  })
  await commitDurably(client)
  await client.query(`SET statement_timeout = 0; SET lock_timeout = ${LOCK_MS}`)
  await untilAlone(client, onProgress, signal)
  const before = await sizeOf(client)
  const holder = await untilUnseen(client, 'tables', onProgress, signal)
  if (holder !== undefined) throw new Error(`${holder} ${SEES}: stop it, and try again`)
  const tables = await tablesOf(client)
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const { name, bytes } of tables) {
    assertGoing(signal)
    onProgress({ part: name, done, total })
    await rewrite(client, name)
    done += bytes
  }
  onProgress({ part: SAMPLES, done, total })
  // ANALYZE of the tables has just deleted the older samples.
  const still = await untilUnseen(client, 'catalog', onProgress, signal)
  await rewrite(client, SAMPLES)
  if (still !== undefined) skipped.push(`${still} ${SEES} of ${SAMPLES}`)
  const leftOnWorkers = (await isDistributed(client)) ? await rewriteOnWorkers(client) : []
  const log = await clearLog(client)
  return { before, after: await sizeOf(client), log, skipped: [...skipped, ...leftOnWorkers] }
}

const WARNING = '01000'
const NOT_ALLOWED = '42501'

async function sizeOf(client: Client): Promise<number> {
  return (await client.query<{ bytes: number }>(SIZE)).rows[0]!.bytes
}

function assertGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new Error('stopped before the end: the rest is as it was')
}

/** Waits for the lock of partitions. Other processes make, drop or rewrite none until the connection ends. */
async function untilAlone(
  client: Client,
  onProgress: OnShrinking,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    assertGoing(signal)
    const { rows } = await client.query<{ locked: boolean }>(LOCK_PARTITIONS)
    if (rows[0]!.locked) return
    onProgress({ waitsFor: 'another process that makes or rewrites tables' })
    await pause(LOOK_EVERY_MS)
  }
}

type Table = { name: string; bytes: number; isPartition: boolean }

async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(TABLES, [ALL_TABLES])
  if (rows.some(({ isPartition }) => isPartition)) return rows
  throw new Error('the first schema of the search_path has no positions: nothing was rewritten')
}

const SEES = 'may still see deleted rows'

/** Waits until nobody sees rows that were deleted before the call. Returns a holder that is left after `TRIES`. */
async function untilUnseen(
  client: Client,
  what: 'tables' | 'catalog',
  onProgress: OnShrinking,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { xid } = (await client.query<{ xid: string }>(NOW)).rows[0]!
  for (let tries = 0; ; tries += 1) {
    assertGoing(signal)
    const { rows } = await client.query<{ who: string }>(OLDER, [xid, what === 'catalog'])
    if (rows.length === 0 || tries === TRIES) return rows[0]?.who
    onProgress({ waitsFor: `${rows[0]!.who}, which ${SEES}` })
    await pause(LOOK_EVERY_MS)
  }
}

async function rewrite(client: Client, table: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`VACUUM (FULL, ANALYZE) ${table}`)
      return
    } catch (error) {
      if (!isLocked(error) || tries === TRIES) throw error
      await pause(LOOK_EVERY_MS)
    }
  }
}

/**
 * Citus passes statements for tables on to the workers, and none for a catalog. Returns a sentence for each worker that did
 * not rewrite its samples.
 */
async function rewriteOnWorkers(client: Client): Promise<string[]> {
  const reasons = new Map<string, string>()
  for (const { worker, success, result } of await onWorkers(client, MAY_REWRITE)) {
    if (!success) reasons.set(worker, result)
    else if (result !== 't') reasons.set(worker, 'the role does not own the database there')
  }
  for (const { worker, success, result } of await onWorkers(client, REWRITE)) {
    if (!success) reasons.set(worker, result)
  }
  return Array.from(
    reasons,
    ([worker, why]) => `${SAMPLES} of worker ${worker} was not rewritten: ${why}`,
  )
}

async function onWorkers(client: Client, statement: string): Promise<Answer[]> {
  return (await client.query<Answer>(ON_WORKERS, [statement])).rows
}

/** Overwrites the log up to now. `kept`: an archive, a replica or a setting still holds some of it. */
async function clearLog(client: Client): Promise<Shrunk['log']> {
  try {
    await client.query('SELECT pg_switch_wal()')
    await client.query('CHECKPOINT')
    const old = (await client.query(OLD)).rows
    await client.query(USE_UP)
    return old.length === 0 ? 'cleared' : 'kept'
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NOT_ALLOWED) return 'not_allowed'
    throw error
  }
}
