import { setTimeout as waitFor } from 'node:timers/promises'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { clientSettings } from './client.ts'
import { openConnections, POOL_SIZES, type Statement, statement } from './connection-pool.ts'
import { bigintOf, booleanOf, copyRows, type Field, type WholeNumbers } from './copy-command.ts'
import { asUnavailable } from './unavailable.ts'

const CONNECT_MS = 3_000

type Patience = {
  /** No statement takes this long on a working server. */
  statementMs: number
  /** How long a statement waits for a connection, and how many may wait. */
  patienceMs: number
  maxWaiting: number
}

const PRIMARY_PATIENCE: Patience = { statementMs: 5_000, patienceMs: 5_000, maxWaiting: 500 }

/** Reads from one server, the primary or a replica. Rejects with `StoreUnavailable`. */
type ReadConnections = {
  /**
   * The rows of a statement with whole numbers as values, columns in binary. An abort ends the wait for a
   * connection.
   */
  copy(statement: Statement, values: WholeNumbers, signal?: AbortSignal): Promise<Field[][]>
  close(): Promise<void>
}

/** The part of `ReadConnections` that queries use. */
export type RowReader = Pick<ReadConnections, 'copy'>

/**
 * Does not connect yet. A statement may take `statementMs`, and waits up to `patienceMs` for a
 * connection.
 */
export function openReadConnections(
  url: string,
  { statementMs, patienceMs, maxWaiting }: Patience = PRIMARY_PATIENCE,
): ReadConnections {
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
        return await use((client) => copyRows(client, text, values), signal)
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

/** How often servers are asked for their position in the log, and how long they may take. */
const CHECK_EVERY_MS = 500
const ANSWER_MS = 1_000
/** Longer than a statement that reads positions. If a replica takes longer, the primary takes over. */
const REPLICA_PATIENCE: Patience = { statementMs: 1_500, patienceMs: 1_500, maxWaiting: 500 }

/** Byte positions in the write-ahead log. */
const WRITTEN = statement(`SELECT (pg_current_wal_lsn() - '0/0')::int8`)
const REPLAYED = statement(`
  SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::int8`)

/** Servers that follow the primary, used only for reads. */
type Replicas = {
  /**
   * The servers for one request that tolerates a delay: a replica that had everything committed this many
   * milliseconds ago, then the primary if the replica fails, falls behind or does not exist. Never a
   * second replica, which might lack rows that the first one had.
   */
  lagging(): RowReader
  close(): Promise<void>
}

type Replica = {
  connections: ReadConnections
  /** When it held everything that the primary had written by then, on the clock of `performance.now`. */
  heldAllAt: number
}

/** Where the primary's log ended at a moment. */
type Mark = { at: number; written: number }

export function openReplicas(
  primary: ReadConnections,
  urls: readonly string[],
  maximumLagMs: number,
): Replicas {
  const replicas = urls.map(
    (url): Replica => ({
      connections: openReadConnections(url, REPLICA_PATIENCE),
      heldAllAt: Number.NEGATIVE_INFINITY,
    }),
  )
  let turn = 0

  const isUsable = ({ heldAllAt }: Replica) => performance.now() - heldAllAt <= maximumLagMs

  /** Usable replicas take turns. */
  function next(): Replica | undefined {
    const usable = replicas.filter(isUsable)
    turn += 1
    return usable[turn % usable.length]
  }

  const stop = replicas.length > 0 ? follow(primary, replicas, maximumLagMs) : async () => {}
  return {
    lagging() {
      let replica = next()
      if (replica === undefined) return primary
      return {
        async copy(statement, values, signal) {
          if (replica !== undefined && isUsable(replica)) {
            try {
              return await replica.connections.copy(statement, values, signal)
            } catch {
              // Try the primary after any error. An error in the statement itself will appear there too.
              leaveOut(replica)
            }
          }
          replica = undefined
          return primary.copy(statement, values, signal)
        },
      }
    },
    async close() {
      await stop()
      await Promise.all(replicas.map(({ connections }) => connections.close()))
    },
  }
}

/** Notes how far each replica is, until the returned function is called. */
function follow(
  primary: ReadConnections,
  replicas: readonly Replica[],
  maximumLagMs: number,
): () => Promise<void> {
  const closing = new AbortController()
  let marks: Mark[] = []

  async function askPrimary(): Promise<void> {
    // Read the clock before asking: a commit during the answer may not be included.
    const at = performance.now()
    const [row] = await inTime(primary.copy(WRITTEN, []))
    marks = [...marks.filter((mark) => at - mark.at <= maximumLagMs), mark(at, row)]
  }

  /** An idle primary writes nothing, so its replica is up to date, however old its last record is. */
  async function askReplica(replica: Replica): Promise<void> {
    const [row] = await inTime(replica.connections.copy(REPLAYED, []))
    const replayed = bigintOf(row![1])!
    const reached = marks.findLast(({ written }) => written <= replayed)
    if (booleanOf(row![0]) && reached !== undefined) replica.heldAllAt = reached.at
  }

  async function askAll(): Promise<void> {
    // Without an answer, the known positions simply grow older.
    await askPrimary().catch(() => {})
    await Promise.all(replicas.map((replica) => askReplica(replica).catch(() => leaveOut(replica))))
  }

  async function keepAsking(): Promise<void> {
    while (!closing.signal.aborted) {
      await askAll()
      await waitFor(CHECK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const asking = keepAsking()
  return async () => {
    closing.abort()
    await asking
  }
}

function leaveOut(replica: Replica): void {
  replica.heldAllAt = Number.NEGATIVE_INFINITY
}

function mark(at: number, row: (Buffer | null)[] | undefined): Mark {
  return { at, written: bigintOf(row?.[0])! }
}

/** A stopped server keeps its connections open and does not answer. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = new AbortController()
  try {
    return await Promise.race([
      answer,
      waitFor(ANSWER_MS, undefined, { signal: late.signal }).then(() => {
        throw new Error('no answer in time')
      }),
    ])
  } finally {
    late.abort()
  }
}
