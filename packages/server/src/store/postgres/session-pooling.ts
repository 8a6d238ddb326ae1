import { Client, clientSettings } from './client.ts'

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
  const other = new Client(clientSettings(url))
  other.on('error', () => {})
  try {
    await other.connect()
    if ((await backendOf(other)) !== own) return
  } finally {
    await other.end().catch(() => {})
  }
  throw new SessionsShared(
    'The pooler in front of PostgreSQL shares one session between clients: let it pool sessions (pool_mode = session in PgBouncer), or connect to PostgreSQL itself',
  )
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]!.pid
}
