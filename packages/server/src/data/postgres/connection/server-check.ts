import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type pg from 'pg'
import { addAll } from '../../../base/domain/common/any-number.ts'
import { isLoopback } from '../../../base/domain/common/fetching.ts'
import { Client, clientSettings, onOwnConnection, UNTOUCHED } from './client.ts'
import { POOL_SIZES, statement } from './connection-pool.ts'

/** The server can lose confirmed commits in a crash, although its disk works. */
export class DataLossPossible extends Error {
  override name = 'DataLossPossible'
}

/**
 * Every value but `off` makes COMMIT wait for this server's disk. The stronger values wait for replicas as
 * well, and stay as the operator has set them. The session also sets an unchanged value: otherwise a reload
 * of the server's settings could turn it off.
 */
const COMMIT_DURABLY = `
  SELECT set_config('synchronous_commit',
    coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)`

/** Call it for each new session that writes: the default of its role or database may be `off`. */
export async function commitDurably(client: pg.ClientBase): Promise<void> {
  await client.query(COMMIT_DURABLY)
}

const SERVER = `
  SELECT current_setting('fsync') AS fsync,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "hasWorkers"`

/** A worker commits by its own settings. The settings of the coordinator's session do not reach it. */
const WORKERS = `
  SELECT nodename || ':' || nodeport AS name, success, result
  FROM run_command_on_workers(
    $$SELECT current_setting('fsync') || ' ' || current_setting('synchronous_commit')$$)`

type Server = { fsync: string; hasWorkers: boolean }
type Worker = { name: string; success: boolean; result: string }

/** Rejects with `DataLossPossible` where the server, or a worker of its Citus that answers, does not sync commits. */
export async function assertDurable(client: pg.ClientBase): Promise<void> {
  const [server] = (await client.query<Server>(SERVER)).rows
  if (server!.fsync === 'off') throw dataLoss('PostgreSQL', 'fsync')
  if (!server!.hasWorkers) return
  for (const { name, success, result } of (await client.query<Worker>(WORKERS)).rows) {
    // Organizations on the other workers are served without one that does not answer.
    if (!success) continue
    const [fsync, synchronousCommit] = result.split(' ')
    if (fsync === 'off') throw dataLoss(`The Citus worker ${name}`, 'fsync')
    if (synchronousCommit === 'off') {
      throw dataLoss(`The Citus worker ${name}`, 'synchronous_commit')
    }
  }
}

function dataLoss(server: string, setting: string): DataLossPossible {
  return new DataLossPossible(
    `${server} runs with ${setting} = off, so a crash can lose acknowledged data: set ${setting} = on there, or accept the loss with --allow-data-loss`,
  )
}

/** The server, database or role allows too few connections for a deployment to work. */
class TooFewConnections extends Error {
  override name = 'TooFewConnections'
}

const SIZES = Object.values(POOL_SIZES)
const MIN_CONNECTIONS = SIZES.length
const MAX_CONNECTIONS = SIZES.reduce((sum, size) => sum + size, 0)

/** Only the first of these limits applies to a superuser. */
const LIMITS = statement(`
  SELECT current_setting('max_connections')::int AS "ofServer",
    CASE WHEN rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true)::int, 0) END AS reserved,
    CASE WHEN rolsuper THEN -1 ELSE datconnlimit END AS "ofDatabase",
    CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END AS "ofRole",
    quote_ident(datname) AS database, quote_ident(rolname) AS role
  FROM pg_database, pg_roles
  WHERE datname = current_database() AND rolname = session_user`)

/** A limit of -1 means unlimited. */
type Limits = {
  ofServer: number
  reserved: number
  ofDatabase: number
  ofRole: number
  database: string
  role: string
}

type Limit = { holder: string; count: number; raise: string }

/**
 * Compares the connections that a server allows this session's role with those that the processes need.
 * Returns a sentence if they may need more at times. Rejects with `TooFewConnections` if they cannot work.
 */
async function checkConnectionLimits(client: pg.ClientBase, processes: number): Promise<string[]> {
  const [least, most] = [MIN_CONNECTIONS * processes, MAX_CONNECTIONS * processes]
  const { rows } = await client.query<Limits>(LIMITS)
  const limit = lowest(rows[0]!, most)
  if (limit.count >= most) return []
  const needs = `PostgreSQL allows ${limit.holder} ${limit.count} connections, and this server needs ${least} at least and ${most} at most`
  const remedy = processes === 1 ? limit.raise : `${limit.raise}, or reduce --processes`
  if (limit.count < least) throw new TooFewConnections(`${needs}: ${remedy}`)
  return [`${needs}, so requests can wait or fail under load: ${remedy}`]
}

function lowest(limits: Limits, wanted: number): Limit {
  const { ofServer, reserved, ofDatabase, ofRole, database, role } = limits
  const all: Limit[] = [
    {
      holder: 'all roles together',
      count: ofServer - reserved,
      raise: `set max_connections = ${wanted + reserved} in postgresql.conf`,
    },
    {
      holder: `the database ${database}`,
      count: ofDatabase,
      raise: `ALTER DATABASE ${database} CONNECTION LIMIT ${wanted}`,
    },
    {
      holder: `the role ${role}`,
      count: ofRole,
      raise: `ALTER ROLE ${role} CONNECTION LIMIT ${wanted}`,
    },
  ]
  return all
    .filter(({ count }) => count >= 0)
    .reduce((one, other) => (other.count < one.count ? other : one))
}

/** The pooler in front of the server shares a session between several clients. */
class SessionsShared extends Error {
  override name = 'SessionsShared'
}

/**
 * Rejects with `SessionsShared` if a pooler gives every transaction another session. Settings, locks and
 * LISTEN belong to a session, so they would be lost or reach other clients.
 */
async function assertOwnSession(client: Client, url: string): Promise<void> {
  const own = await backendOf(client)
  // A pooler announces process ids of its own.
  if (own === (client as unknown as { processID: number }).processID) return
  if (await keepsSession(client, own, url)) return
  throw new SessionsShared(
    'The pooler in front of PostgreSQL shares one session between clients: let it pool sessions (pool_mode = session in PgBouncer), or connect to PostgreSQL itself',
  )
}

/**
 * Whether a client has the same session while another client is in a transaction, and afterwards. A pooler of
 * transactions hands out its last idle session, or its sessions in turn. Two checks afterwards detect either.
 */
async function keepsSession(client: Client, own: number, url: string): Promise<boolean> {
  const other = new Client({ ...clientSettings(url), ...UNTOUCHED })
  other.on('error', () => {})
  try {
    await other.connect()
    await other.query('BEGIN')
    const foreign = await backendOf(other)
    const seen = [await backendOf(client)]
    await other.query('COMMIT')
    seen.push(await backendOf(client), await backendOf(client))
    return foreign !== own && seen.every((pid) => pid === own)
  } finally {
    await other.end().catch(() => {})
  }
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]!.pid
}

/**
 * Checks a server before anything is written: sessions must not be shared, and commits must be durable.
 * Rejects with `SessionsShared`, with `DataLossPossible` unless `allowDataLoss`, or with `StoreUnavailable`.
 */
export async function checkServer(url: string, allowDataLoss: boolean): Promise<void> {
  const check = async (client: Client) => {
    await assertOwnSession(client, url)
    if (!allowDataLoss) await assertDurable(client)
  }
  await onOwnConnection(url, check, UNTOUCHED)
}

/**
 * Checks the servers of a store before `processes` processes serve it. Returns one sentence for each warning
 * to the operator. Rejects with `TooFewConnections`, or with `StoreUnavailable` if the database does not
 * answer. Replicas may be down.
 */
export async function checkForServing(
  database: string,
  replicas: readonly string[],
  processes: number,
): Promise<string[]> {
  const warnings: string[] = []
  const ofDatabase = onOwnConnection(database, async (client) => {
    addAll(warnings, await checkConnectionLimits(client, processes))
    return plainPeer(client)
  })
  const ofReplicas = replicas.map((url) => onOwnConnection(url, plainPeer).catch(() => undefined))
  const asked = await Promise.all([ofDatabase, ...ofReplicas])
  const peers = asked.filter((peer) => peer !== undefined)
  if (peers.length === 0) return warnings
  return [
    ...warnings,
    `the connection to PostgreSQL at ${peers.join(', ')} is not encrypted, so others on the way can read and change what is sent: turn on TLS there (ssl = on), and give sslmode=verify-full in its URL`,
  ]
}

/** The other machine's address if the connection to it is not encrypted. */
async function plainPeer(client: Client): Promise<string | undefined> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const { remoteAddress } = stream
  // A Unix socket has no address.
  if (stream instanceof TLSSocket || remoteAddress === undefined) return undefined
  return isLoopback(remoteAddress) ? undefined : remoteAddress
}
