import type pg from 'pg'
import type { CitusNode, Layout } from '../../layout.ts'
import { onOwnConnection } from '../connection/client.ts'
import { isDistributed, laidOut, notLaidOut } from './lay-out.ts'

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
    const held = byGroup.get(group)
    const none = node.hasShards && !node.isCoordinator ? null : 0
    return { ...node, shards: held?.shards ?? none, bytes: held ? Number(held.bytes) : none }
  })
}
