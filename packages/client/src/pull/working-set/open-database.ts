import { lstatSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { linkError, openOwnFile } from '../files/own-file.ts'

const SCHEMA = `
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE days (day INTEGER PRIMARY KEY, is_changed INTEGER NOT NULL);
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    day INTEGER NOT NULL,
    level INTEGER NOT NULL,
    -- Runs of a day are read in this order.
    place INTEGER NOT NULL,
    has_rows INTEGER NOT NULL
  );
  CREATE INDEX runs_by_day ON runs (day, level, place);
  CREATE TABLE blocks (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    first_object INTEGER NOT NULL,
    last_object INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (run, number)
  );
  CREATE TABLE items (
    kind TEXT NOT NULL,
    id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    item TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
`
const VERSION = 1
const MEMORY_KB = 16 * 1024

/**
 * Opens the working set of a folder, for this process alone. Rejects if the
 * file is from a newer version, or a symbolic link.
 */
export async function openDatabase(path: string, isDurable: boolean): Promise<DatabaseSync> {
  await makeOwn(path)
  const database = new (await sqlite()).DatabaseSync(path)
  // One process holds the lock, so the log needs no shared memory, which network disks do not have.
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA page_size = 8192;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${isDurable ? 'FULL' : 'OFF'};
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -${MEMORY_KB};
  `)
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version === 0) database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${VERSION}; COMMIT`)
  else if (version !== VERSION) {
    database.close()
    throw new Error(`${path} is from a newer version of pull: update this one`)
  }
  return database
}

/** The runtime's SQLite. Node 20 has none. */
async function sqlite(): Promise<typeof import('node:sqlite')> {
  const warn = process.emitWarning
  // Node 22 calls it experimental on stderr, where crontabs take every line for a failure.
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } catch (cause) {
    throw new Error(
      `pull into files needs Node.js 22.15 or newer, and this is ${process.version}: update it`,
      { cause },
    )
  } finally {
    process.emitWarning = warn
  }
}

/** Only the owner may read it. SQLite gives its log the same mode. */
async function makeOwn(path: string): Promise<void> {
  for (const file of [path, `${path}-wal`, `${path}-journal`]) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw linkError(file)
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  await (await openOwnFile(path, 'make')).close()
}
