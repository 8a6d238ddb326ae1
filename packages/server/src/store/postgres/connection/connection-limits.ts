import type pg from 'pg'
import { POOL_SIZES, statement } from './connections.ts'

/** The server, database or role allows too few connections for a deployment to work. */
export class TooFewConnections extends Error {
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
export async function checkConnectionLimits(
  client: pg.ClientBase,
  processes: number,
): Promise<string[]> {
  const [least, most] = [MIN_CONNECTIONS * processes, MAX_CONNECTIONS * processes]
  const { rows } = await client.query<Limits>(LIMITS)
  const limit = lowest(rows[0]!, most)
  if (limit.count >= most) return []
  const needs = `PostgreSQL allows ${limit.holder} ${limit.count} connections, and this server needs ${least} at least and ${most} at most`
  const remedy = processes === 1 ? limit.raise : `${limit.raise}, or give fewer --processes`
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
