import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ownFile } from './data-folder.ts'
import { asUnavailable, isBusy } from './unavailable.ts'

const LOCK_FILE = 'serve.lock'

/** An unreferenced connection is garbage, and its lock would go with it. */
const held = new Set<DatabaseSync>()

export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse'
}

/** Whether a process serves a data folder. */
export function isServed(folder: string): boolean {
  // No process ever served a folder without the file.
  if (!existsSync(join(folder, LOCK_FILE))) return false
  try {
    lockDataFolder(folder).release()
    return false
  } catch (error) {
    if (error instanceof DataFolderInUse) return true
    throw error
  }
}

/**
 * Claims a data folder for the one process that serves it, or throws `DataFolderInUse`. The claim is an
 * operating system's lock on a separate file, so it ends with the process, and commands can still work on
 * the data. Blocks for up to `waitMs` if the folder is claimed.
 */
export function lockDataFolder(folder: string, waitMs = 0): { release(): void } {
  const lock = new DatabaseSync(ownFile(folder, LOCK_FILE), { timeout: waitMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw asUnavailable(error)
    throw new DataFolderInUse(
      `The data folder ${folder} is being served by another process: stop that one first, or serve another folder.`,
      { cause: error },
    )
  }
  held.add(lock)
  return {
    release() {
      if (held.delete(lock)) lock.close()
    },
  }
}
