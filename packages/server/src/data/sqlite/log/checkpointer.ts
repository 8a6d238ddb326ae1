import { once } from 'node:events'
import { dirname, extname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { ownFile } from '../data-folder.ts'
import { retryWhileBusy } from '../unavailable.ts'
import type { Pass } from './checkpoint-thread.ts'
import { openHoleFiller } from './hole-filler.ts'

const LOCK_FILE = 'checkpoint.lock'

/** Waits until no other process checkpoints a database, and keeps them from it until it is disposed. */
async function lockCheckpoints(database: string): Promise<Disposable> {
  const lock = new DatabaseSync(ownFile(dirname(database), LOCK_FILE), { timeout: 0 })
  try {
    await retryWhileBusy(() => lock.exec('BEGIN IMMEDIATE'))
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

/**
 * Moves the write-ahead log into the database on a separate thread. SQLite itself would move it during a
 * commit, which would block the event loop for 20 to 40 ms.
 */
export type Checkpointer = {
  /** Call after each commit. */
  committed(): void
  /** Undefined unless the log is so long that the next transaction should wait. */
  makeRoom(): Promise<void> | undefined
  /** Ends the thread. While its connection is open, nobody can empty the log. */
  stop(): Promise<void>
  /** Empties the log. Call it after `stop`, when this process does not use the database any more. */
  empty(): Promise<void>
  /** Call it after the connections of this process are closed. */
  close(): Promise<void>
}

/**
 * A pass starts when the log has this many pages of 4 KiB (32 MiB). A live feed writes the same pages
 * again and again, and a pass writes each of them once.
 */
const MIN_PASS_PAGES = 8_192
/** From 64 MiB on, writers wait for a pass. Without that, a busy writer could make the log grow for ever. */
const MAX_LOG_PAGES = 16_384
/** A pass stops early if a reader of another process still needs the log, so it is tried again. */
const TRIES = 3

/** `sync` syncs the log. If it fails, no pass runs, because the log may be incomplete. */
export function openCheckpointer(
  file: string,
  writer: DatabaseSync,
  sync: () => Promise<void>,
): Checkpointer {
  writer.exec('PRAGMA wal_autocheckpoint = 0')
  const look = writer.prepare('PRAGMA wal_checkpoint(NOOP)')
  const thread = checkpointThread(file)
  let passing: Promise<Pass> | undefined
  let log = 0
  /** Grows if a pass could not empty the log. Otherwise each following transaction would wait. */
  let maxLogPages = MAX_LOG_PAGES
  const checkpoints = checkpointsOf(file, () => look.get() as Pass)

  function pass(): Promise<Pass> {
    passing ??= runPass().finally(() => {
      passing = undefined
    })
    return passing
  }

  async function runPass(): Promise<Pass> {
    // A new connection does not know whether earlier checkpoints failed.
    const passOnThread = await thread.ready(checkpoints.doubt)
    // Sync after the thread has opened the log: a later failure is then reported to SQLite too.
    await sync()
    return checkpoints.run(passOnThread)
  }

  async function emptyLog(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const passed = await pass().catch(() => undefined)
      if (passed !== undefined && passed.log === passed.checkpointed) {
        maxLogPages = MAX_LOG_PAGES
        return
      }
    }
    maxLogPages = log + MAX_LOG_PAGES
  }

  return {
    committed() {
      try {
        const state = look.get() as Pass
        log = state.log
        if (log - state.checkpointed >= MIN_PASS_PAGES) void pass().catch(() => undefined)
      } catch {
        // The commit itself succeeded.
      }
    },
    makeRoom() {
      return log < maxLogPages ? undefined : emptyLog()
    },
    async stop() {
      await passing?.catch(() => undefined)
      await thread.end()
    },
    async empty() {
      await checkpoints.run(() => writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as Pass)
    },
    close: checkpoints.close,
  }
}

/** The thread with the connection for passes. The first pass starts it, and so does the first one after its end. */
function checkpointThread(file: string) {
  let thread: Worker | undefined

  return {
    /** Calls `starts` if it starts the thread. Returns a pass on the thread that runs now. */
    async ready(starts: () => void): Promise<() => Promise<Pass>> {
      if (thread === undefined) {
        thread = startThread(file, (ended) => {
          // The next pass starts a new one.
          if (thread === ended) thread = undefined
        })
        starts()
        await answerOf(thread)
      }
      const asked = thread
      return async () => {
        if (thread !== asked) throw new Error('the thread has ended')
        asked.postMessage(null)
        const passed = await answerOf(asked)
        if (passed === null) throw new Error('the checkpoint failed')
        return passed
      }
    },
    async end(): Promise<void> {
      await thread?.terminate()
    },
  }
}

/** Runs checkpoints of this process. If an earlier one may have failed, fills the holes that it left first. */
function checkpointsOf(file: string, look: () => Pass) {
  const holes = openHoleFiller(file)
  /** Whether the last checkpoint of this process succeeded. If not, the database may have holes. */
  let isWhole = false

  return {
    /** An earlier checkpoint may have failed. */
    doubt() {
      isWhole = false
    },
    async run(checkpoint: () => Pass | Promise<Pass>): Promise<Pass> {
      using _ = await lockCheckpoints(file)
      if (!isWhole) {
        const { log, checkpointed } = look()
        await holes.fill(checkpointed, log)
      }
      isWhole = false
      const passed = await checkpoint()
      isWhole = true
      return passed
    },
    close: holes.close,
  }
}

/** `forget` is called when the thread could not start, or has ended. */
function startThread(file: string, forget: (thread: Worker) => void): Worker {
  // Use this file's extension: published files are compiled.
  const program = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url)
  const begun = new Worker(program, { workerData: file })
  begun.unref()
  const over = () => forget(begun)
  begun.on('error', over).on('exit', over)
  return begun
}

/** The next message of the thread: null when it is ready, and null if a pass failed. */
async function answerOf(thread: Worker): Promise<Pass | null> {
  const over = new AbortController()
  try {
    const [answer] = await Promise.race([
      once(thread, 'message', over),
      once(thread, 'exit', over).then(() => Promise.reject(new Error('the thread has ended'))),
    ])
    return answer
  } finally {
    over.abort()
  }
}
