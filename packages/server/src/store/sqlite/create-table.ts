import { type Column, type ColumnType, indexesOf, partsOf, type Table } from '../schema.ts'

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
export function createTable(table: Table): string {
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
