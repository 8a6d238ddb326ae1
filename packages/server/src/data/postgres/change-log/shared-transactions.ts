import { StoreUnavailable } from '../../../engine/store/store.ts'
import { CLIENT_GONE, statement } from '../connection/connection-pool.ts'
import type { Connection, Database } from '../connection/database.ts'

const ONE_MOMENT = statement('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')

type Work<T> = (connection: Connection) => Promise<T>

/**
 * Runs work in a transaction that only reads, sees one moment, and may be shared. `signal` aborts the wait for a
 * connection. Rejects as `Database.transaction` does.
 */
type SharedTransaction = <T>(work: Work<T>, signal?: AbortSignal) => Promise<T>

/** The work of one caller. */
type Part = {
  work: Work<unknown>
  signal: AbortSignal | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * `errors`: of parts that have failed. A part leaves when its caller has an answer. `size`: the parts with which the
 * transaction began; 0 before.
 */
type Group = { parts: Set<Part>; errors: Map<Part, unknown>; size: number }

/** The long pages of some would keep too many others waiting. */
const MAX_TOGETHER = 20

/**
 * Pieces of work that wait for a connection at the same time get one transaction. They share its round trips: with a
 * transaction for each, a hundred followed organizations would wait in line for a second.
 */
export function sharedTransactions(database: Database): SharedTransaction {
  /** Its transaction waits for a connection. */
  let next: Group | undefined

  function begin(): Group {
    const group: Group = { parts: new Set(), errors: new Map(), size: 0 }
    const leave = () => {
      if (next === group) next = undefined
    }
    const run = async (connection: Connection) => {
      leave()
      group.size = group.parts.size
      group.errors.clear()
      await Promise.all(Array.from(group.parts, (part) => runPart(group, part, connection)))
    }
    inOneMoment(run).then(
      () => {
        for (const [{ reject }, error] of group.errors) reject(error)
      },
      (error) => {
        leave()
        for (const part of group.parts) {
          // The statement that failed may be another part's.
          if (group.size > 1) inOneMoment(part.work, part.signal).then(part.resolve, part.reject)
          else part.reject(error)
        }
      },
    )
    return group
  }

  async function runPart(group: Group, part: Part, connection: Connection): Promise<void> {
    try {
      const result = await part.work(connection)
      group.parts.delete(part)
      part.resolve(result)
    } catch (error) {
      group.errors.set(part, error)
    }
  }

  function inOneMoment<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    const run = (connection: Connection) => {
      connection.run(ONE_MOMENT)
      return work(connection)
    }
    return database.transaction(run, undefined, signal)
  }

  return async <T>(work: Work<T>, signal?: AbortSignal) => {
    if (next === undefined || next.parts.size === MAX_TOGETHER) next = begin()
    const group = next
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const part = { work, signal, resolve, reject } as Part
    group.parts.add(part)
    const gone = () => {
      if (group.size > 0) return
      group.parts.delete(part)
      reject(new StoreUnavailable(CLIENT_GONE))
    }
    signal?.addEventListener('abort', gone)
    return promise.finally(() => signal?.removeEventListener('abort', gone))
  }
}
