import pg from 'pg'
import { StoreUnavailable } from '../store.ts'
import { binaryCopy, type Field, type WholeNumbers } from './binary-copy.ts'
import { clientSettings } from './database.ts'
import type { Statement } from './statement.ts'
import { asUnavailable } from './unavailable.ts'

/** Connections of one process to one server. */
const CONNECTIONS = 6
const CONNECT_MS = 3_000
/** Longer than any of the statements takes on a server that works. */
const STATEMENT_MS = 5_000

/** Reads from one server, the primary or a replica. Rejects with `StoreUnavailable`. */
export type Reading = {
  /** The rows that a statement gives for whole numbers, their columns in binary. */
  copy(statement: Statement, values: WholeNumbers): Promise<Field[][]>
  close(): Promise<void>
}

/** Does not connect yet. */
export function openReading(url: string, statementMs = STATEMENT_MS): Reading {
  const settings: pg.PoolConfig & { pipeline: boolean } = {
    ...clientSettings(url),
    // A copy cannot share its connection with what is sent before it has ended.
    pipeline: false,
    max: CONNECTIONS,
    connectionTimeoutMillis: Math.min(statementMs, CONNECT_MS),
    query_timeout: statementMs,
    statement_timeout: statementMs,
  }
  const pool = new pg.Pool(settings)
  // An idle connection that breaks is no longer in the pool; the next one finds out by itself.
  pool.on('error', () => {})
  let closed: Promise<void> | undefined

  async function copy({ text }: Statement, values: WholeNumbers): Promise<Field[][]> {
    const client = await pool.connect()
    // What breaks a connection is told to the query that runs on it.
    const ignore = () => {}
    client.on('error', ignore)
    let broken = true
    try {
      const rows = await binaryCopy(client, text, values)
      broken = false
      return rows
    } finally {
      client.off('error', ignore)
      client.release(broken)
    }
  }

  return {
    async copy(statement, values) {
      if (closed !== undefined) throw new StoreUnavailable('The store is closed.')
      try {
        return await copy(statement, values)
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    close() {
      closed ??= pool.end()
      return closed
    },
  }
}
