import type pg from 'pg'
import type { CitusNode, DistributeProgress, Layout } from '../../engine/store/store-status.ts'
import { onOwnConnection } from './connection/client.ts'
import { commitDurably } from './connection/server-check.ts'
import { hasCitus, isDistributed, laidOut, layOut, notLaidOut } from './lay-out.ts'
import { LOCK_TABLES, migrate } from './schema.ts'

const VERSION = `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`

const NODES = `
  SELECT nodename || ':' || nodeport AS name, groupid = 0 AS "isCoordinator",
    isactive AS "isActive", shouldhaveshards AS "hasShards", groupid AS "group"
  FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`

/** A server that does not answer is missing in citus_shard_sizes(). */
const SHARDS = `
  SELECT groupid AS "group", count(*) AS shards, sum(size) AS bytes
  FROM pg_dist_shard
  JOIN pg_dist_placement USING (shardid)
  JOIN pg_dist_partition USING (logicalrelid)
  JOIN citus_shard_sizes() ON citus_shard_sizes.shard_id = pg_dist_shard.shardid
  WHERE partmethod = 'h' GROUP BY groupid`

/** Null if the database is not distributed. Rejects with `StoreUnavailable`. */
export async function readLayout(url: string): Promise<Layout | null> {
  return onOwnConnection(url, async (client) => {
    if (!(await isDistributed(client))) return null
    const [{ version }] = (await client.query<{ version: string }>(VERSION)).rows as [
      { version: string },
    ]
    return {
      citus: version,
      nodes: await readNodes(client),
      tables: await laidOut(client),
      missing: (await notLaidOut(client)).map(({ name }) => name),
    }
  })
}

type NodeRow = Omit<CitusNode, 'shards' | 'bytes'> & { group: number }
type ShardRow = { group: number; shards: number; bytes: string }

async function readNodes(client: pg.ClientBase): Promise<CitusNode[]> {
  const nodes = await client.query<NodeRow>(NODES)
  const shards = await client.query<ShardRow>(SHARDS)
  const byGroup = new Map(shards.rows.map((row) => [row.group, row]))
  return nodes.rows.map(({ group, ...node }) => {
    const row = byGroup.get(group)
    const none = node.hasShards && !node.isCoordinator ? null : 0
    return { ...node, shards: row?.shards ?? none, bytes: row ? Number(row.bytes) : none }
  })
}

/** The servers of the database are not ready for its distribution. The message says what to do. */
class NotDistributable extends Error {
  override name = 'NotDistributable'
}

/**
 * Lays out the tables of a database over the servers of its Citus. Returns the names of those that were not yet laid
 * out. Each table is a transaction, so a distribution that was interrupted continues where it stopped. Rejects with
 * `NotDistributable` or `StoreUnavailable`.
 */
export async function distribute(
  url: string,
  onProgress: (progress: DistributeProgress) => void,
  signal: AbortSignal,
): Promise<string[]> {
  await onOwnConnection(url, assertDistributable)
  await migrate(url)
  return onOwnConnection(url, async (client) => {
    await prepareSession(client)
    await client.query(LOCK_TABLES)
    const tables = await notLaidOut(client)
    for (const [done, table] of tables.entries()) {
      if (signal.aborted)
        throw new Error('stopped before the end: run the same command again to continue from here')
      onProgress({ table: table.name, done, total: tables.length })
      await layOut(client, table)
    }
    await removeLocalRows(client)
    return tables.map(({ name }) => name)
  })
}

/** Sets no time limits, because a table can be large. The session of a killed process ends within a second. */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  await commitDurably(client)
  await client.query(`
    SET statement_timeout = 0;
    SET lock_timeout = 0;
    SET client_connection_check_interval = '1s'`)
}

const SERVERS = `
  SELECT citus_is_coordinator() AS "isCoordinator",
    EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "knowsItself",
    EXISTS (SELECT FROM pg_dist_node WHERE shouldhaveshards AND isactive) AS "hasWorkers"`

async function assertDistributable(client: pg.ClientBase): Promise<void> {
  if (!(await hasCitus(client))) {
    throw new NotDistributable(
      'This database has no Citus: add citus to shared_preload_libraries of the coordinator and of each worker, run CREATE EXTENSION citus in the database on each, and try again',
    )
  }
  const [servers] = (await client.query(SERVERS)).rows
  if (!servers.isCoordinator) {
    throw new NotDistributable('This is a worker of Citus: give the URL of its coordinator')
  }
  if (!servers.knowsItself) {
    throw new NotDistributable(
      "The coordinator does not know its own address: run SELECT citus_set_coordinator_host('its host', 5432) there, and try again",
    )
  }
  if (!servers.hasWorkers) {
    throw new NotDistributable(
      "Citus has no worker: run SELECT citus_add_node('its host', 5432) on the coordinator for each, and try again",
    )
  }
}

/** Citus copies the rows of a table to the workers, and leaves those on the coordinator, where nobody reads them. */
async function removeLocalRows(client: pg.ClientBase): Promise<void> {
  for (const { name, placement } of await laidOut(client)) {
    if (placement !== 'distributed') continue
    await client.query(`SELECT truncate_local_data_after_distributing_table('${name}')`)
  }
}
