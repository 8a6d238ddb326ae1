import type { DatabaseSync } from 'node:sqlite'
import { runningWork } from '../tables/running-work.ts'
import { asUnavailable } from './unavailable.ts'

/** Each holds its own place in the write-ahead log, so there are few. Others wait their turn. */
const MAX_CONNECTIONS = 4

/** Connections on which one transaction reads slice by slice, while others use the store's reader. */
type ViewConnections<Prepared> = {
  /**
   * Runs work in a transaction that sees one moment. Rejects without running it if `signal` was aborted
   * when its turn comes, and with `StoreUnavailable` during an outage.
   */
  use<T>(work: (prepared: Prepared) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Waits for running work. Later work rejects. */
  close(): Promise<void>
}

type Opened<Prepared> = { connection: DatabaseSync; prepared: Prepared }

/** `connect` opens a connection for reading, `prepare` its statements. */
export function openViewConnections<Prepared>(
  connect: () => DatabaseSync,
  prepare: (connection: DatabaseSync) => Prepared,
): ViewConnections<Prepared> {
  const idle: Opened<Prepared>[] = []
  const waiting: (() => void)[] = []
  const running = runningWork()
  let taken = 0

  async function take(signal: AbortSignal | undefined): Promise<Opened<Prepared>> {
    if (taken === MAX_CONNECTIONS) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
    } else {
      taken += 1
    }
    try {
      signal?.throwIfAborted()
      return idle.pop() ?? open()
    } catch (error) {
      pass()
      throw error
    }
  }

  function open(): Opened<Prepared> {
    const connection = connect()
    return { connection, prepared: prepare(connection) }
  }

  /** Lets the next one have the place. */
  function pass(): void {
    const next = waiting.shift()
    if (next === undefined) taken -= 1
    else next()
  }

  async function run<T>(work: (prepared: Prepared) => Promise<T>, signal?: AbortSignal) {
    const opened = await take(signal)
    const { connection, prepared } = opened
    try {
      connection.exec('BEGIN')
      const result = await work(prepared)
      connection.exec('COMMIT')
      idle.push(opened)
      return result
    } catch (error) {
      connection.close()
      throw asUnavailable(error)
    } finally {
      pass()
    }
  }

  return {
    use: (work, signal) => running.begin(() => run(work, signal)),
    close: () =>
      running.close(() => {
        for (const { connection } of idle) connection.close()
      }),
  }
}
