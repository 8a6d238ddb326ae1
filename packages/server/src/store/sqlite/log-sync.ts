import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../store.ts'
import { LogLost, repairLog } from './log-repair.ts'

/**
 * Syncs the write-ahead log to the disk without holding the event loop, and once for all that were
 * committed before it begins. The connection itself runs with `synchronous = NORMAL`, which syncs
 * wherever SQLite needs it to keep the database sound, but not at each commit.
 */
export type LogSync = {
  /**
   * Resolves when all that was committed before the call is on the disk. Rejects with
   * `StoreUnavailable` where it may not be.
   */
  sync(): Promise<void>
  /**
   * Whether the disk has all that was in the log at the last sync. It may not before the first sync, and
   * after a failed one: then nothing must be appended, nor brought into the database, before a sync.
   */
  isSound(): boolean
  /** Call where SQLite finds the database damaged: the log may be, so the next sync looks at it. */
  doubt(): void
  /** Syncs for the last time, where there was a first one. Resolves with whether the log is sound. */
  close(): Promise<boolean>
}

/**
 * Linux tells a failed write to the disk once, and takes what it could not write for written: the next sync
 * succeeds over a hole. So the sync after a failed one writes the whole log again, and so does the first
 * sync of a process, because another process may have heard of the failure and ended.
 */
export function openLogSync(database: string, committedFrames: () => number): LogSync {
  let handle: Promise<FileHandle> | undefined
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let isSound = false

  /** Opened when there is something in it: SQLite makes it with the first commit, and keeps it. */
  function opened(): Promise<FileHandle> {
    handle ??= open(`${database}-wal`, 'r+').catch((error) => {
      handle = undefined
      throw error
    })
    return handle
  }

  async function syncNow(): Promise<void> {
    try {
      // Opened first: a failure after that is told to this handle.
      const log = await opened()
      if (!isSound) {
        // Tells failures that nobody has heard of, so that the sync after the repair tells only new ones.
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
