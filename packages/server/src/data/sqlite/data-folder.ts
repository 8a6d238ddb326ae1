import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { asUnavailable, isBusy } from './unavailable.ts'

export const DATABASE_FILE = 'fleetgate.db'
/** The name of a database while a copy fills it. */
export const UNFINISHED_COPY = 'fleetgate.db.copying'

/**
 * The path of the database in a data folder. Missing files are created so that only their owner can read them. SQLite
 * gives its own files next to the database the same mode.
 */
export function databaseFile(folder: string): string {
  if (existsSync(join(folder, UNFINISHED_COPY))) {
    throw new StoreUnavailable(
      `The copy to the data folder ${folder} was not finished: run the same 'fleetgate copy' again.`,
    )
  }
  return ownFile(folder, DATABASE_FILE)
}

/** The path of a file in a data folder. Creates an empty file if it is missing. */
export function ownFile(folder: string, name: string): string {
  const path = join(folder, name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new StoreUnavailable(
      `The data folder ${folder} cannot be used: ${(error as Error).message}${remedy(error)}.`,
      { cause: error },
    )
  }
  return path
}

function remedy(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
      return '; run it as the user who owns the folder'
    case 'EROFS':
      return '; mount its disk so that it can be written to'
    case 'ENOSPC':
      return '; make room on its disk'
    default:
      return ''
  }
}

const LOCK_FILE = 'serve.lock'
/** `isServed` holds the file for less than this. */
const ASKING_MS = 300

/** An unreferenced connection is garbage, and its lock would go with it. */
const locks = new Set<DatabaseSync>()

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
      `The data folder ${folder} is being served by another process: stop that process, or use another folder.`,
      { cause: error },
    )
  }
  locks.add(lock)
  return {
    release() {
      if (locks.delete(lock)) lock.close()
    },
  }
}

/** A file's name is on the disk once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
