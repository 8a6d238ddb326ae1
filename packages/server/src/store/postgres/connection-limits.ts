import type pg from 'pg'
import { POOL_SIZES } from './pool-sizes.ts'
import { statement } from './statement.ts'

/** A server, a database or a role that allows fewer connections than a deployment can work with. */
export class TooFewConnections extends Error {
  override name = 'TooFewConnections'
}

const SIZES = Object.values(POOL_SIZES)
const LEAST = SIZES.length
const MOST = SIZES.reduce((sum, size) => sum + size, 0)

/** PostgreSQL keeps a superuser to none of these limits but the first. */
const LIMITS = statement(`
  SELECT current_setting('max_connections')::int AS "ofServer",
    CASE WHEN rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true)::int, 0) END AS reserved,
    CASE WHEN rolsuper THEN -1 ELSE datconnlimit END AS "ofDatabase",
    CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END AS "ofRole",
    quote_ident(datname) AS database, quote_ident(rolname) AS role
  FROM pg_database, pg_roles
  WHERE datname = current_database() AND rolname = session_user`)

/** A limit of -1 is none. */
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
 * Compares what a server allows this session's role with what so many processes need. Returns a sentence
 * where they may need more at times. Rejects with `TooFewConnections` where they cannot work.
 */
export async function checkConnectionLimits(
  client: pg.ClientBase,
  processes: number,
): Promise<string[]> {
  const [least, most] = [LEAST * processes, MOST * processes]
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
