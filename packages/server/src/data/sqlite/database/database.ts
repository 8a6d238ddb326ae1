import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { openCheckpointer } from '../log/checkpointer.ts'
import { openLogSync } from '../log/log-sync.ts'
import { asUnavailable, orUnavailable, retryWhileBusy } from '../unavailable.ts'
import { type Transaction, transactionsOf, writeQueue } from './write-queue.ts'

/** Readers wait only while another process repairs the write-ahead log after a crash. */
const READER_PATIENCE_MS = 5_000
/** A transaction that made the log larger than this gives the space back. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024
const CACHE_KIB = 16_384

/**
 * Two connections to one database file. Reads never wait for writes, and the reader's `data_version` shows
 * changes of this process like changes of any other process.
 */
export type Database = {
  readonly file: string
  readonly reader: DatabaseSync
  readonly writer: DatabaseSync
  /** Runs statements of the reader. Throws `StoreUnavailable` during an outage. */
  read<T>(work: () => T): T
  /**
   * Begins a transaction, runs statements of the writer, commits, and syncs. The promise resolves when the
   * writes are on the disk, or rejects when none of them is made. Writes of this process run in the order of
   * their calls, and wait for other processes without blocking the event loop. Writes that wait together
   * share a transaction and a sync, but fail alone.
   */
  write<T>(work: (transaction: Transaction) => T): Promise<T>
  /**
   * The same, but rejects with `StoreUnavailable` at once if another writer is at work, and does not wait
   * until the writes are on the disk.
   */
  writeIfFree<T>(work: () => T): Promise<T>
  /** Opens one more connection for reading. Its user closes it. */
  connect(): DatabaseSync
  /** Resolves when all writes that readers can see now are on the disk, also those of other processes. */
  synced(): Promise<void>
  /** The number of rollbacks so far. Values that were cached before a rollback may be wrong. */
  rollbacks(): number
  close(): Promise<void>
}

export async function openDatabase(file: string): Promise<Database> {
  const writer = connect(file, false)
  try {
    await retryWhileBusy(() => writer.exec('PRAGMA journal_mode = WAL'))
    writer.exec(`
      PRAGMA synchronous = NORMAL;
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
  const logState = reader.prepare('PRAGMA wal_checkpoint(NOOP)')
  const framesInLog = () => Number(logState.get()!.log)
  const log = openLogSync(file, framesInLog)
  const checkpointer = openCheckpointer(file, writer, log.sync)
  const transactions = transactionsOf(writer, log, checkpointer)
  const queue = writeQueue(transactions, log, checkpointer)
  const othersVersion = writer.prepare('PRAGMA data_version')
  /** The version of what other connections committed that is on the disk. */
  let syncedVersion: unknown
  let closing: Promise<void> | undefined

  async function closeNow(): Promise<void> {
    await queue.drained()
    await checkpointer.stop()
    const isSound = await log.close()
    const isEmptied = await emptyLog(isSound)
    // SQLite checkpoints automatically when its last connection closes, if that one may write.
    for (const each of isEmptied ? [reader, writer] : [writer, reader]) each.close()
    await checkpointer.close()
  }

  /** Whether the log is empty now. The next opening of the database finds what is still in it. */
  async function emptyLog(isSound: boolean): Promise<boolean> {
    try {
      if (isSound) await checkpointer.empty()
      return framesInLog() <= 0
    } catch {
      return false
    }
  }

  /** Another process may have committed a moment ago, or may have been killed before its sync. */
  async function synced(): Promise<void> {
    const version = orUnavailable(() => othersVersion.get()!.data_version)
    await queue.synced()
    if (version === syncedVersion) return
    if (orUnavailable(framesInLog) > 0) await log.sync()
    syncedVersion = version
  }

  return {
    file,
    reader,
    writer,
    read: orUnavailable,
    write(work) {
      if (closing !== undefined) return Promise.reject(new StoreUnavailable('The store is closed.'))
      return queue.add(work)
    },
    async writeIfFree(work) {
      orUnavailable(transactions.begin)
      return transactions.commit(work)
    },
    connect: () => connect(file, true),
    synced,
    rollbacks: transactions.rollbacks,
    close() {
      closing ??= closeNow()
      return closing
    },
  }
}

/**
 * A bound number of a `LIMIT`. SQLite plans a statement again for each number that is bound to a bare parameter there,
 * which takes four times as long as a short read. It does not for an expression.
 */
export function fixedPlan(parameter: string): string {
  return `${parameter} + 0`
}
