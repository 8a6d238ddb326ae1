import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { asUnavailable, isBusy } from './unavailable.ts'

/** How long a writer waits for its turn while others write. */
const WRITER_PATIENCE_MS = 30_000
const WRITER_PAUSE_MS = 3
/** Readers wait only where another process sets the write-ahead log right after a crash. */
const READER_PATIENCE_MS = 5_000
/** A transaction that made the log larger than this gives the space back. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024
const CACHE_KIB = 16_384

/**
 * Two connections to one database file: what is read never waits for what is written, and a change
 * of one's own shows on the reader's `data_version` like a change of any other process.
 */
export type Database = {
  readonly file: string
  readonly reader: DatabaseSync
  readonly writer: DatabaseSync
  /** Runs statements of the reader. Throws `StoreUnavailable` where they meet an outage. */
  read<T>(work: () => T): T
  /**
   * Runs statements of the writer as one transaction, which is on the disk when the promise
   * resolves. Writers of this process go in the order of their calls and wait for those of others
   * without holding the event loop.
   */
  write<T>(work: () => T): Promise<T>
  /** The same, but rejects with `StoreUnavailable` at once where another writer is at work. */
  writeIfFree<T>(work: () => T): Promise<T>
  close(): Promise<void>
}

export async function openDatabase(file: string): Promise<Database> {
  const writer = connect(file, false)
  try {
    await retryWhileBusy(() => writer.exec('PRAGMA journal_mode = WAL'))
    writer.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
      PRAGMA cache_size = -${CACHE_KIB};
    `)
    return overConnections(file, connect(file, true), writer)
  } catch (error) {
    writer.close()
    throw asUnavailable(error)
  }
}

/** The writer's own waiting is asynchronous, in `retryWhileBusy`. */
function connect(file: string, readOnly: boolean): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly, timeout: readOnly ? READER_PATIENCE_MS : 0 })
  } catch (error) {
    throw asUnavailable(error)
  }
}

function overConnections(file: string, reader: DatabaseSync, writer: DatabaseSync): Database {
  const begin = writer.prepare('BEGIN IMMEDIATE')
  const commit = writer.prepare('COMMIT')
  let turn: Promise<unknown> = Promise.resolve()

  /** To be called between `begin` and whatever else could run. */
  function finish<T>(work: () => T): T {
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      rollBack(writer)
      throw asUnavailable(error)
    }
  }

  return {
    file,
    reader,
    writer,
    read(work) {
      try {
        return work()
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    write(work) {
      const written = turn.then(async () => {
        await retryWhileBusy(() => begin.run())
        return finish(work)
      })
      turn = written.catch(() => {})
      return written
    },
    async writeIfFree(work) {
      try {
        begin.run()
      } catch (error) {
        throw asUnavailable(error)
      }
      return finish(work)
    },
    async close() {
      await turn
      if (!writer.isOpen) return
      reader.close()
      try {
        writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch {
        // What stays in the log is found there when the database is next opened.
      }
      writer.close()
    },
  }
}

/** SQLite takes back by itself what some failures interrupt, a full disk among them. */
function rollBack(writer: DatabaseSync): void {
  try {
    if (writer.isTransaction) writer.exec('ROLLBACK')
  } catch {
    // What failed before is what the caller must hear of.
  }
}

async function retryWhileBusy(attempt: () => void): Promise<void> {
  const giveUpAt = performance.now() + WRITER_PATIENCE_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw asUnavailable(error)
    }
    await pause(WRITER_PAUSE_MS)
  }
}
