import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RecordFailure, StoreContents, StoreStatus } from '../../engine/store/store-status.ts'
import { bySize, contentsAt, FAILURES } from '../tables/status-queries.ts'
import { DATABASE_FILE, isServed } from './data-folder.ts'
import { KNOWN_VERSION } from './schema.ts'
import { asUnavailable } from './unavailable.ts'

const WAIT_MS = 5_000

/** The status of a data folder. Throws `StoreUnavailable` if it cannot be read. */
export function folderStatus(folder: string): StoreStatus {
  try {
    const database = new DatabaseSync(join(folder, DATABASE_FILE), {
      readOnly: true,
      timeout: WAIT_MS,
    })
    try {
      return { ...readStatus(database), sizes: sizesIn(folder), isServed: isServed(folder) }
    } finally {
      database.close()
    }
  } catch (error) {
    throw asUnavailable(error)
  }
}

function readStatus(database: DatabaseSync): Omit<StoreStatus, 'sizes' | 'isServed'> {
  const { engine } = database.prepare("SELECT 'SQLite ' || sqlite_version() AS engine").get()!
  const { user_version: version } = database.prepare('PRAGMA user_version').get()!
  const isCurrent = version === KNOWN_VERSION
  const contents = isCurrent ? database.prepare(contentsAt(Date.now())).get()! : null
  const failures = isCurrent ? database.prepare(FAILURES).all() : []
  return {
    engine: engine as string,
    version: version as number,
    knownVersion: KNOWN_VERSION,
    // A data folder has one server, so no older program has to use it.
    usableFrom: version as number,
    contents: contents as StoreContents | null,
    failures: failures as RecordFailure[],
    problems: [],
  }
}

function sizesIn(folder: string): StoreStatus['sizes'] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile())
  return bySize(files.map(({ name }) => ({ name, bytes: statSync(join(folder, name)).size })))
}
