import type pg from 'pg'
import { StoreUnavailable } from '../store.ts'
import { clientSettings } from './client.ts'
import { openConnections, TakenBack } from './connections.ts'
import { commitDurably } from './durability.ts'
import { POOL_SIZES } from './pool-sizes.ts'
import type { Statement } from './statement.ts'
import { asUnavailable, isLost } from './unavailable.ts'

/** How long work waits for a connection. */
const PATIENCE_MS = 3_000
/** Longer than any statement takes on a server that works. */
const STATEMENT_MS = 10_000
/** How often a transaction is run that others are in the way of. */
const ATTEMPTS = 5

export type Connection = {
  /**
   * The rows that a statement gives: whole numbers as numbers, bytes as buffers. Those that are sent
   * without awaiting the one before go to the server together.
   */
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /** How many rows it wrote. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>
}

/** In an outage calls reject with `StoreUnavailable`. */
export type Database = Connection & {
  readonly url: string
  /**
   * Runs statements on one connection, all or none, which are durable when the promise resolves. The
   * first goes to the server together with BEGIN, and those that `work` does not await together with
   * COMMIT. Runs `work` again where another transaction was in its way. Waits for `turn` before it
   * takes a connection; an outage that ended that one ends this one as well, since many that wait for
   * each other would else wait for as long as each of them takes to notice.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>, turn?: Promise<unknown>): Promise<T>
  /** Finishes what was begun; afterwards the store is unavailable. */
  close(): Promise<void>
}

/** Does not connect yet; `connections`: at most. */
export function openDatabase(url: string, connections: number = POOL_SIZES.writes): Database {
  const { use, end } = openConnections({
    client: {
      ...clientSettings(url),
      query_timeout: STATEMENT_MS,
      statement_timeout: STATEMENT_MS,
      // A process that is stopped in a transaction keeps nobody else waiting for longer.
      idle_in_transaction_session_timeout: STATEMENT_MS,
    },
    max: connections,
    patienceMs: PATIENCE_MS,
    // The feed and the console bound how many write at once.
    maxWaiting: Number.POSITIVE_INFINITY,
    onConnect: commitDurably,
  })
  const running = new Set<Promise<unknown>>()
  let closed = false

  /** Registers work as begun, which is then finished even where the store is being closed. */
  function begin<T>(work: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    const begun = work().catch((error) => {
      throw asUnavailable(error)
    })
    running.add(begun)
    const forget = () => running.delete(begun)
    begun.then(forget, forget)
    return begun
  }

  async function transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await use((client) => inTransaction(client, work))
      } catch (error) {
        if (!isLost(error) || attempt === ATTEMPTS) throw error
      }
    }
  }

  return {
    url,
    query: (statement, values) =>
      begin(() => use((client) => over(client).query(statement, values))),
    run: (statement, values) => begin(() => use((client) => over(client).run(statement, values))),
    transaction: (work, turn) =>
      begin(async () => {
        await turn?.catch((error) => {
          if (error instanceof StoreUnavailable) throw error
        })
        return transaction(work)
      }),
    async close() {
      if (closed) return
      closed = true
      await Promise.allSettled(running)
      await end()
    },
  }
}

/** The statements of a client, as a connection. */
export function over(client: pg.ClientBase): Connection {
  const send = (statement: Statement, values: readonly unknown[] = []) =>
    client.query({ ...statement, values: [...values] })
  return {
    async query<Row extends object>(statement: Statement, values?: readonly unknown[]) {
      return (await send(statement, values)).rows as Row[]
    },
    async run(statement, values) {
      return (await send(statement, values)).rowCount ?? 0
    },
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const failed: unknown[] = []
  const sent: Promise<unknown>[] = []
  /** Whether it is awaited or not, what a statement meets is what the transaction meets. */
  function noted<Sent extends Promise<unknown>>(statement: Sent): Sent {
    sent.push(statement.catch((error) => failed.push(error)))
    return statement
  }
  const connection = over(client)
  noted(client.query('BEGIN'))
  let result: T
  try {
    result = await work({
      query: (statement, values) => noted(connection.query<never>(statement, values)),
      run: (statement, values) => noted(connection.run(statement, values)),
    })
  } catch (error) {
    await client.query('ROLLBACK')
    throw failed.length > 0 ? failed[0] : new TakenBack('', { cause: error })
  }
  const { command } = await client.query('COMMIT')
  // All have been answered, but some of those who wait for an answer may not have heard of it yet.
  await Promise.all(sent)
  if (failed.length > 0) throw failed[0]
  // The error of a failed transaction. Its statements report nothing else.
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
  return result
}
