import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { orUnavailable } from '../unavailable.ts'
import type { Database } from './database.ts'
import { type Transaction, transactionsOf } from './write-queue.ts'

/** A database in the memory of this process: no file, no thread, no timer. It is gone when it is closed. */
type MemoryDatabase = Database & {
  /**
   * Runs work that reads in a transaction of its own. Without a write-ahead log nobody can commit meanwhile, so writes
   * wait until such work has ended, and later work waits for them. It must not call this again.
   */
  reading<T>(work: () => Promise<T>): Promise<T>
}

/** Databases that this process has opened: each has a name of its own. */
let opened = 0

export function openMemoryDatabase(): MemoryDatabase {
  opened += 1
  // The leading slash makes connections of this process share it.
  const file = `file:/fleetgate-${opened}?vfs=memdb`
  const connect = (readOnly: boolean) => new DatabaseSync(file, { readOnly, timeout: 0 })
  const writer = connect(false)
  writer.exec('PRAGMA journal_mode = MEMORY')
  const reader = connect(true)
  const { begin, commit, rollbacks } = transactionsOf(writer, NO_LOG, NO_LOG)
  const turns = openTurns()
  let isClosed = false

  /** Commits in the call, if nobody reads. */
  async function write<T>(work: (transaction: Transaction) => T): Promise<T> {
    let report: (() => Promise<unknown> | undefined) | undefined
    const transaction: Transaction = {
      onCommit(wanted) {
        report = wanted
      },
    }
    const result = await turns.alone(() => {
      if (isClosed) throw new StoreUnavailable('The store is closed.')
      begin()
      return commit(() => work(transaction))
    })
    await report?.()
    return result
  }

  return {
    file,
    reader,
    writer,
    read: orUnavailable,
    write,
    writeIfFree: write,
    connect: () => connect(true),
    synced: () => Promise.resolve(),
    rollbacks,
    reading: turns.reading,
    async close() {
      if (isClosed) return
      isClosed = true
      reader.close()
      writer.close()
    },
  }
}

/** There is neither a log nor a file. */
const NO_LOG = {
  committed: () => {},
  doubt: () => {},
}

/** Lets any number read, or one write, which is over before anybody else runs. */
function openTurns(): {
  reading: MemoryDatabase['reading']
  alone<T>(write: () => T): Promise<T>
} {
  let reading = 0
  const writers: (() => void)[] = []
  const readers: (() => void)[] = []

  function enter(): Promise<void> | undefined {
    if (writers.length === 0) {
      reading += 1
      return undefined
    }
    return new Promise((entered) => {
      readers.push(() => {
        reading += 1
        entered()
      })
    })
  }

  function leave(): void {
    reading -= 1
    if (reading > 0) return
    for (const write of writers.splice(0)) write()
    for (const read of readers.splice(0)) read()
  }

  return {
    async reading(work) {
      const entering = enter()
      if (entering !== undefined) await entering
      try {
        return await work()
      } finally {
        leave()
      }
    },
    alone: (write) =>
      new Promise((resolve, reject) => {
        const run = () => {
          try {
            resolve(write())
          } catch (error) {
            reject(error)
          }
        }
        if (reading > 0) writers.push(run)
        else run()
      }),
  }
}
