import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ownFile } from './data-folder.ts'
import { asUnavailable, isBusy } from './unavailable.ts'

const LOCK_FILE = 'serve.lock'
/** `isServed` holds the file for less than this. */
const ASKING_MS = 300

/** An unreferenced connection is garbage, and its lock would go with it. */
const held = new Set<DatabaseSync>()

export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse'
}

/** Whether a process serves a data folder. */
export function isServed(folder: string): boolean {
  const file = join(folder, LOCK_FILE)
  // No process ever served a folder without the file.
  if (!existsSync(file)) return false
  const asking = new DatabaseSync(file, { readOnly: true })
  try {
    // Reading takes a shared lock, so that two who ask at once do not take each other for a server.
    asking.prepare('SELECT 1 FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw asUnavailable(error)
  } finally {
    asking.close()
  }
}

/**
 * Claims a data folder for the one process that serves it, or throws `DataFolderInUse`. The claim is an
 * operating system's lock on a separate file, so it ends with the process, and commands can still work on
 * the data. Blocks for up to `waitMs` if the folder is claimed.
 */
export function lockDataFolder(folder: string, waitMs = ASKING_MS): { release(): void } {
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
