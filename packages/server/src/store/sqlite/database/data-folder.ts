import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { StoreUnavailable } from '../../store.ts'

export const DATABASE_FILE = 'fleetgate.db'
/** The name of a database while a copy fills it. */
export const UNFINISHED_COPY = 'fleetgate.db.copying'

/**
 * The path of the database in a data folder. Missing files are created so that only their owner can read
 * them. SQLite gives its own files beside the database the same mode.
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
