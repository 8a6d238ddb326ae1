import { StoreUnavailable } from '../store.ts'
import { binaryCopy, type Field, type WholeNumbers } from './binary-copy.ts'
import { clientSettings } from './client.ts'
import { openConnections } from './connections.ts'
import { POOL_SIZES } from './pool-sizes.ts'
import type { Statement } from './statement.ts'
import { asUnavailable } from './unavailable.ts'

const CONNECT_MS = 3_000

export type Patience = {
  /** No statement takes this long on a working server. */
  statementMs: number
  /** How long a statement waits for a connection, and how many may wait. */
  patienceMs: number
  maxWaiting: number
}

const PRIMARY: Patience = { statementMs: 5_000, patienceMs: 5_000, maxWaiting: 500 }

/** Reads from one server, the primary or a replica. Rejects with `StoreUnavailable`. */
export type Reading = {
  /**
   * The rows of a statement with whole numbers as values, columns in binary. An abort ends the wait for a
   * connection.
   */
  copy(statement: Statement, values: WholeNumbers, signal?: AbortSignal): Promise<Field[][]>
  close(): Promise<void>
}

/**
 * Does not connect yet. A statement may take `statementMs`, and waits up to `patienceMs` for a
 * connection.
 */
export function openReading(
  url: string,
  { statementMs, patienceMs, maxWaiting }: Patience = PRIMARY,
): Reading {
  const settings = {
    ...clientSettings(url),
    // COPY must have its connection for itself until it has ended.
    pipeline: false,
    connectionTimeoutMillis: Math.min(statementMs, CONNECT_MS),
    query_timeout: statementMs,
    statement_timeout: statementMs,
  }
  const { use, end } = openConnections({
    client: settings,
    max: POOL_SIZES.reads,
    patienceMs,
    maxWaiting,
  })
  let closed: Promise<void> | undefined

  return {
    async copy({ text }, values, signal) {
      if (closed !== undefined) throw new StoreUnavailable('The store is closed.')
      try {
        return await use((client) => binaryCopy(client, text, values), signal)
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    close() {
      closed ??= end()
      return closed
    },
  }
}
