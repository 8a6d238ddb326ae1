import type pg from 'pg'
import { EARLIER_COPY_MS, TargetRefused } from '../../copy-port.ts'
import { isLocked } from '../connection/unavailable.ts'

/**
 * The `deployment.compatible_from` of a database while a copy fills it. No program has that version, so
 * every program refuses to use the database.
 */
export const UNFINISHED_COPY = 2 ** 31 - 1

/** Any number, if every version uses the same. */
const LOCK = 7305463

/** Ends the session of a machine that has not answered for 25 seconds. PostgreSQL's own limit is two hours. */
const KEEPALIVES = `
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3`

/**
 * Takes the lock of a database for the session of a copy: a shared lock to read, an exclusive one to write.
 * The lock ends with the session, and the session ends soon after its process. So this function waits for a
 * lock that a killed copy has left. Rejects with `TargetRefused` if another copy holds the lock.
 */
export async function lockForCopy(client: pg.Client, right: 'read' | 'write'): Promise<void> {
  await client.query(KEEPALIVES)
  // During a statement PostgreSQL checks for the client only with this setting. On Windows it cannot, and a killed
  // copy keeps its lock until its statement ends.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => {})
  try {
    await client.query(`
      BEGIN;
      SET LOCAL lock_timeout = ${EARLIER_COPY_MS};
      SELECT pg_advisory_lock${right === 'read' ? '_shared' : ''}(${LOCK});
      COMMIT`)
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new TargetRefused(
      'Another copy is being made to or from this database: wait until it is done',
    )
  }
}
