import type pg from 'pg'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { runningWork } from '../../tables/running-work.ts'
import { clientSettings } from './client.ts'
import {
  openConnections,
  POOL_SIZES,
  RolledBack,
  type Statement,
  statement,
} from './connection-pool.ts'
import { commitDurably } from './server-check.ts'
import { asUnavailable, isLost, isWorkerDown } from './unavailable.ts'

/** Work waits this long for a connection. */
const PATIENCE_MS = 3_000
/** No statement takes this long on a working server. */
const STATEMENT_MS = 10_000
/** For `statementMs`. */
export const WITHOUT_LIMIT = 0
/** A transaction that loses against others is run this many times. */
const MAX_ATTEMPTS = 5

export type Connection = {
  /**
   * The rows of a statement: whole numbers as numbers, bytes as buffers. Statements go to the server together
   * if their caller does not await the previous one.
   */
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /** Returns the number of written rows. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>
}

/** Calls reject with `StoreUnavailable` during an outage. */
export type Database = Connection & {
  readonly url: string
  /**
   * Begins a transaction, runs `work`, and commits. The writes are durable when the promise resolves. The
   * first statement goes to the server together with BEGIN, and statements that `work` does not await go
   * together with COMMIT. If another transaction was in the way, `work` runs again.
   *
   * Waits for `turn` before it takes a connection. If an outage ended `turn`, this transaction rejects too:
   * otherwise a queue of transactions would notice the outage one after the other. `signal` aborts the wait for
   * the connection.
   */
  transaction<T>(
    work: (connection: Connection) => Promise<T>,
    turn?: Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<T>
  /** Finishes the transactions and statements that have begun. Later ones reject. */
  close(): Promise<void>
}

/** Connections to coordinators of Citus. */
const coordinators = new WeakSet<pg.ClientBase>()

async function isOfCitus(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass('pg_dist_partition') IS NOT NULL AS is`)
  return rows[0].is
}

/** Does not connect yet. Opens at most `connections`. `statementMs`: the longest time of a statement. */
export function openDatabase(
  url: string,
  connections: number = POOL_SIZES.writes,
  statementMs: number = STATEMENT_MS,
): Database {
  const { use, end } = openConnections({
    client: {
      ...clientSettings(url),
      query_timeout: statementMs,
      statement_timeout: statementMs,
      // Others wait no longer for a process that was stopped in a transaction.
      idle_in_transaction_session_timeout: STATEMENT_MS,
    },
    max: connections,
    patienceMs: PATIENCE_MS,
    // The feed and the console limit the number of simultaneous writes.
    maxWaiting: Number.POSITIVE_INFINITY,
    async onConnect(client) {
      await commitDurably(client)
      // The driver sends no limit of 0, so that of the role would hold.
      if (statementMs === WITHOUT_LIMIT) await client.query('SET statement_timeout = 0')
      if (await isOfCitus(client)) coordinators.add(client)
    },
  })
  const running = runningWork()

  function begin<T>(work: () => Promise<T>): Promise<T> {
    return running.begin(() =>
      work().catch((error) => {
        throw asUnavailable(error)
      }),
    )
  }

  async function transaction<T>(
    work: (connection: Connection) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await use((client) => inTransaction(client, work), signal)
      } catch (error) {
        if (!isLost(error) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  return {
    url,
    query: (statement, values) =>
      begin(() => use((client) => over(client).query(statement, values))),
    run: (statement, values) => begin(() => use((client) => over(client).run(statement, values))),
    transaction: (work, turn, signal) =>
      begin(async () => {
        await turn?.catch((error) => {
          if (error instanceof StoreUnavailable) throw error
        })
        return transaction(work, signal)
      }),
    close: () => running.close(end),
  }
}

/** The statements of a client, as a connection. */
export function over(client: pg.ClientBase): Connection {
  const send = (statement: Statement, values: readonly unknown[] = []) => {
    const { name, text } = (coordinators.has(client) && statement.distributed) || statement
    return client.query({ name, text, values: [...values] })
  }
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
  /** A statement's error fails the transaction, even if nobody awaits the statement. */
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
    throw failed.length > 0 ? failed[0] : new RolledBack('', { cause: error })
  }
  const { command } = await client.query('COMMIT')
  // All statements have been answered, but the promises of some may not have settled yet.
  await Promise.all(sent)
  if (failed.length > 0) throw failed[0]
  // The error of a failed transaction. Its statements report nothing else.
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
  return result
}

const ORGANIZATIONS = statement('SELECT id FROM organizations ORDER BY id')
/** Each question to a worker that is down may take some seconds, and hold a connection meanwhile. */
const ASKING_MS = 1_000

/**
 * The rows of `all`. While a worker of a Citus cluster is down, those of `one` of some organizations on the others: as
 * many as can be asked in a second, one after the other, beginning with any.
 */
export async function ofAllOrganizations<Row>(
  connection: Connection,
  all: () => Promise<Row[]>,
  one: (organization: number) => Promise<Row[]>,
): Promise<Row[]> {
  try {
    return await all()
  } catch (error) {
    if (!isWorkerDown(error)) throw error
  }
  const found: Row[] = []
  const organizations = await connection.query<{ id: number }>(ORGANIZATIONS)
  const until = performance.now() + ASKING_MS
  const begin = Math.floor(performance.now()) % Math.max(1, organizations.length)
  for (const { id } of [...organizations.slice(begin), ...organizations.slice(0, begin)]) {
    if (performance.now() > until) break
    try {
      for (const row of await one(id)) found.push(row)
    } catch (error) {
      if (!isWorkerDown(error)) throw error
    }
  }
  return found
}
