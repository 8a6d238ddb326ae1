import { Client, clientSettings, UNTOUCHED } from './client.ts'

/** A pooler through which a session is shared by several clients. */
export class SessionsShared extends Error {
  override name = 'SessionsShared'
}

/**
 * Rejects with `SessionsShared` where a pooler gives every transaction another session: settings, locks
 * and LISTEN belong to a session, and would be lost or reach other clients.
 */
export async function assertOwnSession(client: Client, url: string): Promise<void> {
  const own = await backendOf(client)
  // A pooler announces process ids of its own.
  if (own === (client as unknown as { processID: number }).processID) return
  if (await keepsSession(client, own, url)) return
  throw new SessionsShared(
    'The pooler in front of PostgreSQL shares one session between clients: let it pool sessions (pool_mode = session in PgBouncer), or connect to PostgreSQL itself',
  )
}

/**
 * Whether a client has the same session while another one is in a transaction, and after it. A pooler of
 * transactions gives out either its last idle session or each in turn; twice after it is enough for both.
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
