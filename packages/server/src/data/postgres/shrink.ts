import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { OnShrinking, Shrunk } from '../../engine/store/store-status.ts'
import { type Client, onOwnConnection } from './connection/client.ts'
import { commitDurably } from './connection/server-check.ts'
import { isLocked } from './connection/unavailable.ts'
import { PARTITIONS_LOCK } from './positions/partitions.ts'

/** ANALYZE keeps samples of rows in a catalog, which the owner of the database may rewrite. */
const SAMPLES = 'pg_statistic'

/** The large ones first, which take longest. Partitions are tables of their own. */
const TABLES = `
  SELECT oid::regclass::text AS name, pg_total_relation_size(oid)::bigint AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_has_role(relowner, 'USAGE')
  ORDER BY bytes DESC, name`
const SIZE = 'SELECT pg_database_size(current_database()) AS bytes'

/** Transactions that may still see rows that were deleted before `$1`: these would be kept. */
const OLDER = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age($1::xid)
  LIMIT 1`
const NOW = 'SELECT pg_current_xact_id()::xid::text AS xid'

const LOOK_EVERY_MS = 500
/** Everybody who comes after a waiting exclusive lock waits too. */
const LOCK_MS = 1_000
const TRIES = 60

const SEGMENTS = "FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name"
/** A checkpoint needs none of them, but an archive or a replica may. */
const OLD = `SELECT ${SEGMENTS} < (SELECT redo_wal_file FROM pg_control_checkpoint())`
/** PostgreSQL renames old segments for later use, with all that is in them. This begins each of them, and fills it with zeros. */
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
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0')
  // Nobody makes or drops partitions meanwhile.
  await client.query(`SELECT pg_advisory_lock(${PARTITIONS_LOCK})`)
  await client.query(`SET lock_timeout = ${LOCK_MS}`)
  const before = await sizeOf(client)
  await untilUnseen(client, signal)
  const { rows: tables } = await client.query<{ name: string; bytes: number }>(TABLES)
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const { name, bytes } of [...tables, { name: SAMPLES, bytes: 0 }]) {
    if (signal.aborted) throw new Error('stopped before the end: the rest is as it was')
    onProgress({ part: name, done, total })
    await rewrite(client, name)
    done += bytes
  }
  return { before, after: await sizeOf(client), log: await clearLog(client), skipped }
}

const WARNING = '01000'
const NOT_ALLOWED = '42501'

async function sizeOf(client: Client): Promise<number> {
  return (await client.query<{ bytes: number }>(SIZE)).rows[0]!.bytes
}

/** Waits until no transaction sees what was deleted before the call. */
async function untilUnseen(client: Client, signal: AbortSignal): Promise<void> {
  const { xid } = (await client.query<{ xid: string }>(NOW)).rows[0]!
  for (let tries = 0; (await client.query(OLDER, [xid])).rows.length > 0; tries += 1) {
    if (tries === TRIES || signal.aborted) {
      throw new Error(
        'a transaction is open that may still see deleted rows: end it, and try again',
      )
    }
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
