import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { ITEM_NOUNS, PLACE_TOPICS, type PlaceTopic } from '../../base/domain/item-rules.ts'
import { newEpoch } from '../../engine/store/change-log.ts'
import { KINDS } from '../tables/item-columns.ts'
import { TABLES } from '../tables/shared-tables.ts'
import { type Column, type ColumnType, indexesOf, partsOf, type Table } from '../tables/table.ts'
import type { Database } from './database/database.ts'

/*
 * This file creates the tables of a data folder, and takes them to the version of this program.
 */

const TYPES: Record<ColumnType, string> = {
  int8: 'INTEGER',
  int4: 'INTEGER',
  bool: 'INTEGER',
  float8: 'REAL',
  text: 'TEXT',
  bytea: 'BLOB',
}

const GOES_WITH = 'ON DELETE CASCADE'

/** Creates a table with its indexes. AUTOINCREMENT, because the id of a deleted item must never be used again. */
function createTable(table: Table): string {
  const { name, columns, of, ids, sqlite = {} } = table
  const key = sqlite.key ?? (ids === undefined ? table.key : ['id'])
  const lines = [
    ...Object.entries(columns).map(([column, kind]) => columnOf(table, key, column, kind)),
    ...(sqlite.counts ?? []).map((column) => `${column} INTEGER NOT NULL DEFAULT 0`),
    ...(key.length > 1 ? [`PRIMARY KEY (${key.join(', ')})`] : []),
    // A foreign key refers to it.
    ...(name === 'objects' ? ['UNIQUE (organization, id)'] : []),
    ...(table.unique ?? []).map((unique) => `UNIQUE (${unique})`),
    ...(of === 'objects'
      ? [`FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ${GOES_WITH}`]
      : []),
  ]
  const isNumber = key.length === 1 && columns[key[0]!] !== 'text'
  const form = isNumber || sqlite.hasLongRows ? 'STRICT' : 'STRICT, WITHOUT ROWID'
  return [`CREATE TABLE ${name} (${lines.join(', ')}) ${form};`, ...indexesOf(table)].join('\n')
}

function columnOf(table: Table, key: readonly string[], column: string, kind: Column): string {
  const { type, isOptional } = partsOf(kind)
  const { of, ids, defaults, isSingle, references, sqlite } = table
  const isKey = key.length === 1 && key[0] === column
  const parent =
    of === 'organizations' && column === 'organization'
      ? of
      : { ...references, ...sqlite?.references }[column]
  return [
    `${column} ${TYPES[type]}`,
    isKey ? 'PRIMARY KEY' : isOptional ? '' : 'NOT NULL',
    isKey && ids !== undefined ? 'AUTOINCREMENT' : '',
    isKey && isSingle ? `CHECK (${column} = 1)` : '',
    defaults?.includes(column) ? 'DEFAULT 0' : '',
    parent === undefined ? '' : `REFERENCES ${parent} ${GOES_WITH}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** `epoch` is the epoch of the numbers in the change log. */
const DEPLOYMENT = `
CREATE TABLE deployment (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  secret BLOB NOT NULL,
  sequence INTEGER NOT NULL,
  epoch TEXT NOT NULL
) STRICT;
`

/**
 * `newest_change`: an append need not write `deployment`, because the newest change of all topics is among those that
 * `changes` notes. Only after a copy, `deployment` has a newer one.
 */
const CHANGES = `
CREATE TABLE changes (
  organization INTEGER NOT NULL,
  topic TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (organization, topic)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_sequence ON changes (sequence);

CREATE VIEW newest_change AS
SELECT max(sequence, coalesce((SELECT max(sequence) FROM changes), 0)) AS sequence FROM deployment;
`

/** Each position has its part of the fold (`track`, see `engine/tracking/stored-position.ts`), and the change that hid it. */
const POSITIONS = `
CREATE TABLE positions (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  time_device INTEGER NOT NULL,
  change INTEGER NOT NULL,
  fix BLOB NOT NULL,
  track BLOB NOT NULL,
  hidden INTEGER,
  PRIMARY KEY (organization, object, time_device)
) STRICT, WITHOUT ROWID;
CREATE INDEX purges_by_object ON purges (object);
`

/** Triggers count objects, places and vertices: counting a million objects would hold the event loop for 130 ms. */
const COUNTS = `
CREATE TRIGGER object_added AFTER INSERT ON objects BEGIN
  UPDATE organizations SET object_count = object_count + 1 WHERE id = new.organization;
END;

CREATE TRIGGER object_removed AFTER DELETE ON objects BEGIN
  UPDATE organizations SET object_count = object_count - 1 WHERE id = old.organization;
END;
${PLACE_TOPICS.map(triggers).join('')}
`

function triggers(table: PlaceTopic): string {
  const noun = ITEM_NOUNS[table]
  const isDrawn = KINDS[table].verticesOf !== undefined
  const [added, removed] = isDrawn ? ['new.vertices', 'old.vertices'] : ['0', '0']
  return `
CREATE TRIGGER ${noun}_added AFTER INSERT ON ${table} BEGIN
  UPDATE organizations SET place_count = place_count + 1, vertex_count = vertex_count + ${added}
  WHERE id = new.organization;
END;

CREATE TRIGGER ${noun}_removed AFTER DELETE ON ${table} BEGIN
  UPDATE organizations SET place_count = place_count - 1, vertex_count = vertex_count - ${removed}
  WHERE id = old.organization;
END;
${
  isDrawn
    ? `
CREATE TRIGGER ${noun}_redrawn AFTER UPDATE OF vertices ON ${table} BEGIN
  UPDATE organizations SET vertex_count = vertex_count + ${added} - ${removed}
  WHERE id = new.organization;
END;`
    : ''
}`
}

const ACCESS = 'INSERT INTO access_settings (id, requires_totp) VALUES (1, 0)'

/** The first migration: makes the tables of an empty database. */
export function schema(writer: DatabaseSync): void {
  for (const table of TABLES) writer.exec(createTable(table))
  for (const text of [DEPLOYMENT, CHANGES, POSITIONS, COUNTS, ACCESS]) {
    writer.exec(text)
  }
  writer.prepare('INSERT INTO deployment VALUES (1, ?, 0, ?)').run(randomBytes(32), newEpoch())
}

/**
 * The second migration: version 2 of the rules of movement, whose states a program of data version 1 cannot read. A new
 * database has the column.
 */
function secondRules(writer: DatabaseSync): void {
  const columns = writer.prepare('PRAGMA table_info(tracker_moves)').all()
  if (columns.some(({ name }) => name === 'requested_at')) return
  writer.exec('ALTER TABLE tracker_moves ADD COLUMN requested_at INTEGER NOT NULL DEFAULT 0')
}

/** Takes a database from one version to the next. A released one never changes. */
export type Migration = (writer: DatabaseSync) => void

/** In order: number n takes a database from version n - 1 to n. */
export const MIGRATIONS: readonly Migration[] = [schema, secondRules]

/** The version to which this program brings a database. */
export const KNOWN_VERSION = MIGRATIONS.length

export class DataFolderTooNew extends Error {
  override name = 'DataFolderTooNew'
}

/**
 * Migrates the database to this program's version in one transaction. If several processes open it at
 * once, one does the work.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const wanted = migrations.length
  if (database.read(() => versionOf(database, wanted)) === wanted) return
  const { writer } = database
  await database.write(() => {
    const version = versionOf(database, wanted)
    for (const step of migrations.slice(version)) step(writer)
    if (version < wanted) writer.exec(`PRAGMA user_version = ${wanted}`)
  })
}

function versionOf({ file, writer }: Database, known: number): number {
  const { user_version: version } = writer.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version <= known) return version
  throw new DataFolderTooNew(
    `${file} has data version ${version}, but this Fleetgate supports versions up to ${known}: run the newer Fleetgate that upgraded it, or restore an earlier backup.`,
  )
}
