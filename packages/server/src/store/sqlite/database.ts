import { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { StoreUnavailable } from '../store.ts'
import { openCheckpointer } from './checkpointer.ts'
import { openLogSync } from './log-sync.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { asUnavailable, isDamage } from './unavailable.ts'

/** After so long what else waits is left to the next transaction. */
const TOGETHER_MS = 0.5
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
   * Runs statements of the writer, all or none, which are on the disk when the promise resolves.
   * Writers of this process go in the order of their calls and wait for those of others without
   * holding the event loop. Those that wait together share a transaction, and a sync. `committed` is
   * called between the two, and what it returns is awaited beside the sync; it must not reject.
   */
  write<T>(work: () => T, committed?: (result: T) => Promise<unknown> | undefined): Promise<T>
  /**
   * The same, but rejects with `StoreUnavailable` at once where another writer is at work; and what
   * was written is on the disk some time later.
   */
  writeIfFree<T>(work: () => T): Promise<T>
  /** Grows with each transaction that was taken back: what was learnt in one does not hold. */
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

/** One in which a request comes, and one in which its answer goes out. */
async function twoTurns(): Promise<void> {
  await yieldToOthers()
  await yieldToOthers()
}

type Waiting = {
  work(): unknown
  committed: ((result: unknown) => Promise<unknown> | undefined) | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

function overConnections(file: string, reader: DatabaseSync, writer: DatabaseSync): Database {
  const begin = writer.prepare('BEGIN IMMEDIATE')
  const commit = writer.prepare('COMMIT')
  const savepoint = writer.prepare('SAVEPOINT one')
  const release = writer.prepare('RELEASE one')
  const undo = writer.prepare('ROLLBACK TO one')
  const logState = reader.prepare('PRAGMA wal_checkpoint(NOOP)')
  const framesInLog = () => Number(logState.get()!.log)
  const log = openLogSync(file, framesInLog)
  const checkpointer = openCheckpointer(file, writer, log.sync)
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let rollbacks = 0

  function rollBack(): void {
    rollbacks += 1
    takeBack(writer)
  }

  /** Damage may be that of the log, which the next sync then looks at. */
  function asRaised(error: unknown): unknown {
    const raised = asUnavailable(error)
    if (isDamage(raised)) log.doubt()
    return raised
  }

  /** To be called between `begin` and whatever else could run. */
  function finish<T>(work: () => T): T {
    try {
      const result = work()
      commit.run()
      checkpointer.committed()
      return result
    } catch (error) {
      rollBack()
      throw asUnavailable(error)
    }
  }

  /** One of several in a transaction: what it raises is its own, unless it took all of them back. */
  function runOne(work: () => unknown): { result: unknown } | { error: unknown } {
    savepoint.run()
    try {
      const result = work()
      release.run()
      return { result }
    } catch (error) {
      if (!writer.isTransaction) throw error
      rollbacks += 1
      undo.run()
      release.run()
      return { error: asRaised(error) }
    }
  }

  /** Runs those that wait, for as long as others can be kept waiting for the event loop. */
  function runTogether(group: Waiting[]): void {
    const until = performance.now() + TOGETHER_MS
    const outcomes = finish(() => {
      const ran: ReturnType<typeof runOne>[] = []
      do {
        const next = waiting.shift()!
        group.push(next)
        ran.push(runOne(next.work))
      } while (waiting.length > 0 && performance.now() < until)
      return ran
    })
    const told = group.map(({ committed }, index) => {
      const outcome = outcomes[index]!
      return 'result' in outcome ? committed?.(outcome.result) : undefined
    })
    log.sync().then(
      () => settle(group, outcomes, told),
      (error) => rejectAll(group, error),
    )
  }

  /** Whether nothing is in the log any more. What stays there is found when the database is next opened. */
  async function emptyLog(isSound: boolean): Promise<boolean> {
    try {
      if (isSound) await checkpointer.empty()
      return framesInLog() <= 0
    } catch {
      return false
    }
  }

  async function writeWaiting(): Promise<void> {
    // Other writes of this turn join the transaction.
    for (await yieldToOthers(); waiting.length > 0; await twoTurns()) {
      const group: Waiting[] = []
      const waited = waiting.length
      try {
        // Nothing is appended behind a hole.
        if (!log.isSound()) await log.sync()
        await checkpointer.makeRoom()
        await retryWhileBusy(() => begin.run())
        runTogether(group)
      } catch (error) {
        // Writes that came during the attempt get an attempt of their own.
        rejectAll(group.length > 0 ? group : waiting.splice(0, waited), asRaised(error))
      }
    }
    writing = undefined
  }

  async function closeNow(): Promise<void> {
    await writing
    await checkpointer.stop()
    const isSound = await log.close()
    const isEmptied = await emptyLog(isSound)
    // SQLite checkpoints by itself where the last connection that closes may write.
    for (const each of isEmptied ? [reader, writer] : [writer, reader]) each.close()
    await checkpointer.close()
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
    write<T>(work: () => T, committed?: (result: T) => Promise<unknown> | undefined): Promise<T> {
      if (closing !== undefined) return Promise.reject(new StoreUnavailable('The store is closed.'))
      const written = new Promise<T>((resolve, reject) => {
        waiting.push({ work, committed, resolve, reject } as Waiting)
      })
      writing ??= writeWaiting()
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
    rollbacks: () => rollbacks,
    close() {
      closing ??= closeNow()
      return closing
    },
  }
}

/** Each as soon as those who were told of it have taken it in. */
function settle(
  group: Waiting[],
  outcomes: ({ result: unknown } | { error: unknown })[],
  told: (Promise<unknown> | undefined)[],
): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[index]!
    const taken = told[index]
    if ('error' in outcome) reject(outcome.error)
    else if (taken === undefined) resolve(outcome.result)
    else taken.then(() => resolve(outcome.result), reject)
  }
}

function rejectAll(group: Waiting[], error: unknown): void {
  for (const { reject } of group) reject(asUnavailable(error))
}

/** SQLite takes back by itself what some failures interrupt, a full disk among them. */
function takeBack(writer: DatabaseSync): void {
  try {
    if (writer.isTransaction) writer.exec('ROLLBACK')
  } catch {
    // The caller must get the first error.
  }
}
