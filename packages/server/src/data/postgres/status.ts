import type { RecordFailure, StoreContents, StoreStatus } from '../../engine/store/store-status.ts'
import { bySize, contentsAt, FAILURES } from '../tables/status-queries.ts'
import { type Client, onOwnConnection } from './connection/client.ts'
import { statement } from './connection/connection-pool.ts'
import { UNFINISHED_COPY } from './connection/copy-blocks.ts'
import { over } from './connection/database.ts'
import { assertDurable, DataLossPossible } from './connection/server-check.ts'
import { isWorkerDown } from './connection/unavailable.ts'
import { MIGRATIONS, versionOf } from './schema.ts'

const SERVER = statement(`
  SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) AS engine,
    pg_is_in_recovery() AS "isReplica",
    (SELECT count(*) FROM pg_stat_activity) AS connections,
    current_setting('max_connections')::int AS "maxConnections"
`)
/** The tables with their indexes, and all partitions of a table as one. */
const SIZES = statement(`
  SELECT coalesce(pg_partition_root(oid), oid)::regclass::text AS name,
    sum(pg_total_relation_size(oid))::bigint AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  GROUP BY 1
`)
const FAILED = statement(FAILURES)
/** Below this share of free connections, a server that starts may find none. */
const MIN_FREE_SHARE = 0.1

type Server = { engine: string; isReplica: boolean; connections: number; maxConnections: number }
type Size = { name: string; bytes: number }

/** The status of a database. Rejects with `StoreUnavailable` if it does not answer. */
export function databaseStatus(url: string, allowDataLoss: boolean): Promise<StoreStatus> {
  return onOwnConnection(url, async (client) => {
    const status = await readStatus(client)
    if (allowDataLoss) return status
    return { ...status, problems: [...status.problems, ...(await durabilityProblem(client))] }
  })
}

async function readStatus(client: Client): Promise<StoreStatus> {
  const { query } = over(client)
  const [server] = await query<Server>(SERVER)
  const { version, compatibleFrom } = await versionOf(client)
  const isCurrent = version === MIGRATIONS.length && compatibleFrom !== UNFINISHED_COPY
  const contents = isCurrent ? await contentsOf(client) : null
  return {
    engine: server!.engine,
    version,
    knownVersion: MIGRATIONS.length,
    usableFrom: compatibleFrom,
    sizes: bySize(await query<Size>(SIZES)),
    contents,
    failures: contents === null ? [] : await query<RecordFailure>(FAILED),
    problems: problemsOf(server!, compatibleFrom),
    isServed: null,
  }
}

/** Null: a worker of a Citus cluster is down, and only all of them together would know. */
async function contentsOf(client: Client): Promise<StoreContents | null> {
  try {
    return (await over(client).query<StoreContents>(statement(contentsAt(Date.now()))))[0]!
  } catch (error) {
    if (isWorkerDown(error)) return null
    throw error
  }
}

function problemsOf(
  { isReplica, connections, maxConnections }: Server,
  compatibleFrom: number,
): string[] {
  const problems: string[] = []
  if (compatibleFrom === UNFINISHED_COPY) {
    problems.push(
      "The copy to this database was not finished: run the same 'fleetgate copy' again.",
    )
  }
  if (isReplica) problems.push('This database is a replica: give the URL of its primary.')
  if (connections > maxConnections * (1 - MIN_FREE_SHARE)) {
    problems.push(
      `${connections} of ${maxConnections} connections are in use: raise max_connections.`,
    )
  }
  return problems
}

async function durabilityProblem(client: Client): Promise<string[]> {
  try {
    await assertDurable(client)
    return []
  } catch (error) {
    if (error instanceof DataLossPossible) return [error.message]
    throw error
  }
}
