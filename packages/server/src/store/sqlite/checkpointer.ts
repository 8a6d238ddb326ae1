import { once } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { lockCheckpoints } from './checkpoint-lock.ts'
import type { Pass } from './checkpoint-thread.ts'
import { openHoleFiller } from './hole-filler.ts'

/**
 * Moves the write-ahead log into the database on a separate thread. SQLite would do it in the commit that
 * makes the log long enough, and hold the event loop for 20 to 40 ms.
 */
export type Checkpointer = {
  /** Call after each commit. */
  committed(): void
  /** Undefined unless the log is so long that the next transaction should wait. */
  makeRoom(): Promise<void> | undefined
  /** Ends the thread, whose connection would keep the log from being emptied at last. */
  stop(): Promise<void>
  /** Empties the log of a database that nobody of this process uses any more; `stop` comes first. */
  empty(): Promise<void>
  /** To be called after the connections of this process are closed. */
  close(): Promise<void>
}

/**
 * A pass starts at this many pages of 4 KiB (32 MiB). A live feed writes the same pages again and again,
 * and a pass writes each of them once.
 */
const WORTH = 8_192
/** At 64 MiB writers wait, so that the log is never written faster than it is emptied. */
const MOST = 16_384
/** A reader in another process can keep a pass from the end of the log. */
const TRIES = 3

/** `sync` syncs the log. If it fails, the log must not go into the database. */
export function openCheckpointer(
  file: string,
  writer: DatabaseSync,
  sync: () => Promise<void>,
): Checkpointer {
  writer.exec('PRAGMA wal_autocheckpoint = 0')
  const look = writer.prepare('PRAGMA wal_checkpoint(NOOP)')
  let thread: Worker | undefined
  let passing: Promise<Pass> | undefined
  let log = 0
  /** Grows when even waiting did not empty the log, so that not every transaction waits. */
  let most = MOST
  const holes = openHoleFiller(file)
  /** Whether the last checkpoint of this process succeeded, so that the database has no holes. */
  let isWhole = false

  /** Checkpoints in one way or the other, and fills holes first where an earlier one may have failed. */
  async function checkpoint(run: () => Pass | Promise<Pass>): Promise<Pass> {
    using _ = await lockCheckpoints(file)
    if (!isWhole) {
      const { log, checkpointed } = look.get() as Pass
      await holes.fill(checkpointed, log)
    }
    isWhole = false
    const passed = await run()
    isWhole = true
    return passed
  }

  function pass(): Promise<Pass> {
    passing ??= runPass().finally(() => {
      passing = undefined
    })
    return passing
  }

  async function runPass(): Promise<Pass> {
    if (thread === undefined) {
      thread = begin()
      // Its connection was not there when earlier checkpoints failed, and would not hear of it.
      isWhole = false
      await answerOf(thread)
    }
    const asked = thread
    // The thread has the log open by now, so SQLite also sees a failure after this sync.
    await sync()
    return checkpoint(async () => {
      if (thread !== asked) throw new Error('the thread has ended')
      asked.postMessage(null)
      const passed = await answerOf(asked)
      if (passed === null) throw new Error('the checkpoint failed')
      return passed
    })
  }

  function begin(): Worker {
    const begun = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: file,
    })
    begun.unref()
    // If the thread could not start or has ended, the next pass starts a new one.
    const forget = () => {
      if (thread === begun) thread = undefined
    }
    begun.on('error', forget).on('exit', forget)
    return begun
  }

  async function emptyLog(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const passed = await pass().catch(() => undefined)
      if (passed !== undefined && passed.log === passed.checkpointed) {
        most = MOST
        return
      }
    }
    most = log + MOST
  }

  return {
    committed() {
      try {
        const state = look.get() as Pass
        log = state.log
        if (log - state.checkpointed >= WORTH) void pass().catch(() => undefined)
      } catch {
        // The commit itself succeeded.
      }
    },
    makeRoom() {
      return log < most ? undefined : emptyLog()
    },
    async stop() {
      await passing?.catch(() => undefined)
      await thread?.terminate()
    },
    async empty() {
      await checkpoint(() => writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as Pass)
    },
    close: holes.close,
  }
}

/** Null once it is ready, and where a pass failed. */
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
