import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { LogLost, repairLog } from './log-repair.ts'

/**
 * Syncs the write-ahead log to the disk without blocking the event loop. One sync serves all transactions
 * that were committed before it begins. The connection itself runs with `synchronous = NORMAL`, which syncs
 * wherever SQLite needs it to keep the database sound, but not at each commit.
 */
export type LogSync = {
  /**
   * Resolves when all transactions committed before the call are on the disk. Rejects with
   * `StoreUnavailable` if they may not be.
   */
  sync(): Promise<void>
  /**
   * Whether the disk has the whole log as of the last sync. False before the first sync and after a failed
   * one. Then the log must be synced before anything is appended to it or checkpointed from it.
   */
  isSound(): boolean
  /** Call when SQLite finds the database damaged. The log may be damaged too, so the next sync checks it. */
  doubt(): void
  /** Syncs for the last time if there was a sync. Resolves with whether the log is sound. */
  close(): Promise<boolean>
}

/**
 * Linux reports a failed write to the disk once and then treats the data as written, so the next sync
 * succeeds over a hole. The sync after a failed one therefore writes the whole log again. So does the first
 * sync of a process, because the failure may have been reported to a process that has ended.
 */
export function openLogSync(database: string, committedFrames: () => number): LogSync {
  let handle: Promise<FileHandle> | undefined
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let isSound = false

  /** Opens the log at the first sync, because SQLite creates it with the first commit. */
  function opened(): Promise<FileHandle> {
    handle ??= open(`${database}-wal`, 'r+').catch((error) => {
      handle = undefined
      throw error
    })
    return handle
  }

  async function syncNow(): Promise<void> {
    try {
      // Opened first: this handle reports later failures.
      const log = await opened()
      if (!isSound) {
        // Clears earlier failures, so that the sync after the repair reports only new ones.
        await log.datasync().catch(() => undefined)
        await repairLog(database, committedFrames)
      }
      await log.datasync()
      isSound = true
    } catch (cause) {
      isSound = false
      if (cause instanceof LogLost) endProcess(cause)
      throw asUnsynced(cause)
    }
  }

  function sync(): Promise<void> {
    if (running === undefined) {
      running = syncNow().finally(() => {
        running = undefined
      })
      return running
    }
    // The one under way may have begun before the commit.
    following ??= running.then(
      () => {
        following = undefined
        return sync()
      },
      () => {
        following = undefined
        return sync()
      },
    )
    return following
  }

  return {
    sync,
    isSound: () => isSound,
    doubt() {
      isSound = false
    },
    async close() {
      if (handle === undefined) return false
      await sync().catch(() => undefined)
      await (await handle)?.close()
      return isSound
    },
  }
}

function asUnsynced(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause
  const { message } = cause as Error
  return new StoreUnavailable(`The store cannot answer: the disk failed to sync (${message}).`, {
    cause,
  })
}

/** Nobody catches this: the program says why, and ends with an exit code that is not zero. */
function endProcess(error: LogLost): void {
  setImmediate(() => {
    throw error
  })
}
