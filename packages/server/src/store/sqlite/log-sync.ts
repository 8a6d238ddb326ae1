import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../store.ts'

/**
 * Syncs the write-ahead log to the disk without holding the event loop, and once for all that were
 * committed before it begins. The connection itself runs with `synchronous = NORMAL`, which syncs
 * wherever SQLite needs it to keep the database sound, but not at each commit.
 */
export type LogSync = {
  /**
   * Resolves when all that was committed before the call is on the disk. Rejects with
   * `StoreUnavailable` where it may not be; the next call tries anew.
   */
  sync(): Promise<void>
  close(): Promise<void>
}

export function openLogSync(file: string): LogSync {
  let handle: Promise<FileHandle> | undefined
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined

  /** Opened when there is something in it: SQLite makes it with the first commit, and keeps it. */
  function opened(): Promise<FileHandle> {
    handle ??= open(file, 'r+').catch((error) => {
      handle = undefined
      throw error
    })
    return handle
  }

  async function syncNow(): Promise<void> {
    try {
      await (await opened()).datasync()
    } catch (cause) {
      const { message } = cause as Error
      throw new StoreUnavailable(`The store cannot answer: the disk failed to sync (${message}).`, {
        cause,
      })
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
    async close() {
      await running?.catch(() => undefined)
      await following?.catch(() => undefined)
      await (await handle?.catch(() => undefined))?.close()
    },
  }
}
