import pg from 'pg'
import { EARLIER_COPY_MS, TargetRefused } from '../copying.ts'

/** Any number, but the same in every version. */
const LOCK = 7305463
/** https://www.postgresql.org/docs/current/errcodes-appendix.html, lock_not_available */
const LOCK_NOT_AVAILABLE = '55P03'

/** A machine that went silent is taken for gone after 25 seconds; PostgreSQL waits two hours by itself. */
const KEEPALIVES = `
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3`

/**
 * Takes the lock of a database for the session of a copy: shared by the copies that read, alone for the one
 * that writes. It ends with the session, and the session soon after its process, so a lock that a killed copy
 * has left is waited for. Rejects with `TargetRefused` where another copy holds it.
 */
export async function lockForCopy(client: pg.Client, right: 'read' | 'write'): Promise<void> {
  await client.query(KEEPALIVES)
  // In a statement PostgreSQL looks for the client only if it is told to. On Windows it cannot, and a killed
  // copy keeps its lock until its statement ends.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => {})
  try {
    await client.query(`
      BEGIN;
      SET LOCAL lock_timeout = ${EARLIER_COPY_MS};
      SELECT pg_advisory_lock${right === 'read' ? '_shared' : ''}(${LOCK});
      COMMIT`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
    throw new TargetRefused(
      'Another copy is being made to or from this database: wait until it is done',
    )
  }
}
