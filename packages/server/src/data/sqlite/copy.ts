import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { runAtOnce } from '../../engine/tracking/work.ts'
import {
  type CopiedTable,
  type CopySource,
  type CopySourceFacts,
  type CopyTarget,
  copiedTablesOf,
  EARLIER_COPY_MS,
  LARGE_TABLES,
  POSITIONS,
  TargetRefused,
} from '../copy/copy-port.ts'
import { removePositions, removeTables } from '../copy/copy-reads.ts'
import { rowsOf } from '../copy/tuples.ts'
import { addQuotaCounts, copiedFrom, type ObjectCount } from './copied-rows.ts'
import {
  DATABASE_FILE,
  databaseFile,
  lockDataFolder,
  ownFile,
  syncFolder,
  UNFINISHED_COPY,
} from './data-folder.ts'
import { type Database, openDatabase } from './database/database.ts'
import { tablesOf } from './positions/position-form.ts'
import { migrate } from './schema.ts'
import { DIALECT, sqlOf } from './tables.ts'

/** The quota counters of a data folder, in a file next to the database that the store does not own. */
export type QuotaFile = {
  /** Counts of yesterday and today. */
  read(folder: string): ObjectCount[]
  write(folder: string, counts: readonly ObjectCount[]): void
}

/** The size of one transaction: some 10,000 rows. */
const GROUP_BYTES = 4 * 1024 * 1024

/** Opens the present data of a data folder, which may be served meanwhile. */
export async function openSqliteSource(folder: string, quota: QuotaFile): Promise<CopySource> {
  const database = await openDatabase(databaseFile(folder))
  try {
    await migrate(database)
    const { reader } = database
    addQuotaCounts(reader, quota.read(folder))
    reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    return { ...copiedFrom(reader), close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Opens a data folder to copy a deployment into: a new one, or a copy of that deployment that was begun
 * or, since it was finished, not written to. Until it is finished its database has another name, so that
 * it is never taken for a whole one. Throws `TargetRefused` or `DataFolderInUse`.
 */
export async function openSqliteTarget(
  folder: string,
  secret: Buffer,
  quota: QuotaFile,
): Promise<CopyTarget> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(folder, EARLIER_COPY_MS)
  try {
    const database = await openUnfinished(folder, secret)
    const target = targetOver(database, folder, quota)
    return {
      ...target,
      async close() {
        await database.close().finally(lock.release)
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openUnfinished(folder: string, secret: Buffer): Promise<Database> {
  const whole = join(folder, DATABASE_FILE)
  const unfinished = join(folder, UNFINISHED_COPY)
  const isBegun = existsSync(unfinished)
  if (existsSync(whole)) {
    if (isBegun) throw new TargetRefused(`${folder} holds both data and an unfinished copy`)
    await openCopy(whole, (writer) => assertUntouched(writer, folder, secret)).then((database) =>
      database.close(),
    )
    renameClosed(whole, unfinished)
  }
  return openCopy(ownFile(folder, UNFINISHED_COPY), (writer) => claim(writer, folder, secret))
}

/** SQLite finds a log by the name of its database, so the log has to be empty and gone. */
function renameClosed(from: string, to: string): void {
  if (existsSync(`${from}-wal`)) {
    throw new StoreUnavailable(
      `The disk failed to take all of ${from}: run the same 'fleetgate copy' again.`,
    )
  }
  renameSync(from, to)
}

async function openCopy(file: string, check: (writer: DatabaseSync) => void): Promise<Database> {
  const database = await openDatabase(file)
  try {
    await migrate(database)
    await database.write(() => check(database.writer))
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A number that grows with each change of the data. Counts of usage and the deletion of expired rows do not move it. */
const GROWN = `(
  SELECT sequence + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'), 0)
  FROM newest_change
)`

/** `finished_at`: the value of `GROWN` when the copy was finished; null before that. */
const COPIED = `
  CREATE TABLE IF NOT EXISTS copied (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    finished_at INTEGER
  ) STRICT`

function claim(writer: DatabaseSync, folder: string, secret: Buffer): void {
  writer.exec(COPIED)
  const begun = writer.prepare('INSERT OR IGNORE INTO copied VALUES (1, NULL)').run().changes > 0
  if (begun) writer.prepare('UPDATE deployment SET secret = ?').run(secret)
  else assertSame(writer, folder, secret)
  writer.exec('UPDATE copied SET finished_at = NULL')
}

function assertUntouched(writer: DatabaseSync, folder: string, secret: Buffer): void {
  const table = writer.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'copied'`).get()
  if (table === undefined) {
    throw new TargetRefused(`${folder} is not empty: use an empty or a new folder`)
  }
  assertSame(writer, folder, secret)
  const { untouched } = writer
    .prepare(`SELECT finished_at IS ${GROWN} AS untouched FROM copied`)
    .get() as { untouched: number }
  if (untouched === 0) {
    throw new TargetRefused(`${folder} has changed since the copy: use an empty or a new folder`)
  }
}

function assertSame(writer: DatabaseSync, folder: string, secret: Buffer): void {
  const { secret: own } = writer.prepare('SELECT secret FROM deployment').get() as {
    secret: Uint8Array
  }
  if (!secret.equals(own)) {
    throw new TargetRefused(`${folder} has a copy of another deployment: use an empty folder`)
  }
}

/**
 * The statements that take the rows of a table which SQLite has in another form. Null if other tables hold
 * them.
 */
const INSERTS: Record<string, string | null> = {
  sequences: `INSERT INTO changes SELECT ?1, 'states', ?3 WHERE ?3 > 0 AND ?2 >= 0 AND ?4 >= 0`,
  ids: null,
  quota_counts: `
    INSERT OR REPLACE INTO temp.quota_counts (day, object, hundredths)
    SELECT ?2, ?3, ?4 WHERE ?1 > 0`,
}

const REMOVE_COUNTS = `
  DELETE FROM temp.quota_counts
  WHERE object IN (SELECT id FROM objects WHERE organization = $1)`

function targetOver(database: Database, folder: string, quota: QuotaFile): CopyTarget {
  const { writer } = database
  addQuotaCounts(writer, quota.read(folder))
  const sql = sqlOf(writer)
  const parts = { dialect: DIALECT, tablesOf }

  function removeOwned(organization: number | null): void {
    sql.run(REMOVE_COUNTS, [organization])
    runAtOnce(removeTables(sql, organization, INSERTS))
  }

  async function addRows(table: CopiedTable, blocks: AsyncIterable<Buffer>): Promise<void> {
    for await (const group of inGroups(blocks))
      await database.write(() => insertRows(writer, table, group))
  }

  return {
    ...copiedFrom(writer),
    async expect() {},
    async replace(organization, rows) {
      // Gathered first: a transaction here waits for nothing.
      const tables: [CopiedTable, Buffer[]][] = []
      for (const table of copiedTablesOf(organization)) {
        if (LARGE_TABLES.includes(table) || insertOf(table) === null) continue
        tables.push([table, await Array.fromAsync(rows(table))])
      }
      await database.write(() => {
        removeOwned(organization)
        for (const [table, blocks] of tables) insertRows(writer, table, blocks)
      })
      if (organization === null) return
      // They can be too large to gather.
      for (const table of LARGE_TABLES) await addRows(table, rows(table))
    },
    removePositions: (part) => database.write(() => runAtOnce(removePositions(parts, sql, part))),
    addPositions: (blocks) => addRows(POSITIONS, blocks),
    remove: (organization) => database.write(() => removeOwned(organization)),
    settle: (facts) => database.write(() => settle(writer, facts)),
    async finish() {
      const counts = writer.prepare(`
        SELECT day, object, hundredths FROM temp.quota_counts JOIN objects ON id = object`)
      quota.write(folder, counts.all() as ObjectCount[])
      await database.write(() => {
        writer.exec(`UPDATE copied SET finished_at = ${GROWN}`)
      })
      await database.close()
      renameClosed(join(folder, UNFINISHED_COPY), join(folder, DATABASE_FILE))
      await syncFolder(folder)
    },
    close: () => database.close(),
  }
}

function insertRows(writer: DatabaseSync, table: CopiedTable, blocks: readonly Buffer[]): void {
  const insert = writer.prepare(insertOf(table)!)
  for (const block of blocks) {
    for (const row of rowsOf(table, block)) insert.run(...(row as SQLInputValue[]))
  }
}

function insertOf({ name, columns }: CopiedTable): string | null {
  const existing = INSERTS[name]
  if (existing !== undefined) return existing
  const names = Object.keys(columns)
  return `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
}

/** Blocks by as many as make a transaction of their own. */
async function* inGroups(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let group: Buffer[] = []
  let bytes = 0
  for await (const block of blocks) {
    group.push(block)
    bytes += block.length
    if (bytes < GROUP_BYTES) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

function settle(writer: DatabaseSync, { sequence, epoch, lastIds }: CopySourceFacts): void {
  writer.prepare('UPDATE deployment SET sequence = ?, epoch = ?').run(sequence, epoch)
  const remove = writer.prepare('DELETE FROM sqlite_sequence WHERE name = ?')
  // Its columns have no types, and a number is bound as a real one.
  const insert = writer.prepare(
    'INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))',
  )
  for (const [table, last] of Object.entries(lastIds)) {
    remove.run(table)
    if (last > 0) insert.run(table, last)
  }
}
