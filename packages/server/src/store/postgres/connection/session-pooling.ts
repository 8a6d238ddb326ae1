import { Client, clientSettings, UNTOUCHED } from './client.ts'

/** The pooler in front of the server shares a session between several clients. */
export class SessionsShared extends Error {
  override name = 'SessionsShared'
}

/**
 * Rejects with `SessionsShared` if a pooler gives every transaction another session. Settings, locks and
 * LISTEN belong to a session, so they would be lost or reach other clients.
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
 * Whether a client has the same session while another client is in a transaction, and afterwards. A pooler
 * of transactions gives out its last idle session, or its sessions in turn. Two looks afterwards show both.
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
