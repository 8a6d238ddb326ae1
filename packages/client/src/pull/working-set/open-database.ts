import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { linkError, openOwnFile } from '../files/own-file.ts'

/**
 * SQLite stores whole numbers in a REAL column as compactly as integers, and returns them as floating-point numbers.
 */
const POSITION = `
    day INTEGER NOT NULL,
    object INTEGER NOT NULL,
    time INTEGER NOT NULL,
    time_server INTEGER NOT NULL,
    latitude REAL,
    longitude REAL,
    altitude REAL,
    angle REAL,
    speed REAL,
    odometer_mm REAL,
    mileage_mm REAL,
    engine_hours_ms REAL,
    address TEXT,
    attributes TEXT,
    as_of INTEGER NOT NULL`
const SCHEMA = `
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE days (day INTEGER PRIMARY KEY, has_arrived INTEGER NOT NULL, is_changed INTEGER NOT NULL);
  CREATE TABLE positions (${POSITION}, PRIMARY KEY (day, object, time)) WITHOUT ROWID;
  CREATE TABLE arrived_puts (
    page INTEGER NOT NULL, ${POSITION}, PRIMARY KEY (day, page, object, time)
  ) WITHOUT ROWID;
  CREATE TABLE arrived_removals (
    day INTEGER NOT NULL,
    object INTEGER NOT NULL,
    page INTEGER NOT NULL,
    from_time INTEGER NOT NULL,
    to_time INTEGER NOT NULL,
    PRIMARY KEY (day, object, page, from_time, to_time)
  ) WITHOUT ROWID;
  CREATE TABLE arrived_shifts (
    day INTEGER NOT NULL,
    object INTEGER NOT NULL,
    from_time INTEGER NOT NULL,
    to_time INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    odometer_mm REAL,
    mileage_mm REAL,
    engine_hours_ms REAL
  );
  CREATE INDEX arrived_shifts_by_object ON arrived_shifts (day, object);
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
  // Sorting a day may need more space than the default temporary folder has. SQLite reads this before its first
  // database.
  process.env.SQLITE_TMPDIR ??= dirname(path)
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
    throw new Error(`${path} is from a newer version of pull: update pull`)
  }
  return database
}

/** The SQLite of Node.js. Node 20 does not have it. */
async function sqlite(): Promise<typeof import('node:sqlite')> {
  const warn = process.emitWarning
  // Node 22 warns on stderr that it is experimental, and cron mails every line on stderr as a failure.
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } catch (cause) {
    throw new Error(
      `pull to files requires Node.js 22.15 or newer, not ${process.version}: update Node.js`,
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
