import { type Column, type ColumnType, indexesOf, partsOf, type Table } from '../schema.ts'

const TYPES: Record<ColumnType, string> = {
  int8: 'bigint',
  int4: 'int',
  bool: 'boolean',
  float8: 'double precision',
  text: 'text',
  bytea: 'bytea',
}

const GOES_WITH = 'ON DELETE CASCADE'

/** Creates a table with its indexes. Items are on the server of their organization, which need not be that of all. */
export function createTable(table: Table): string {
  const { name, columns, key, of, postgres = {} } = table
  const lines = [
    ...Object.entries(columns).map(([column, kind]) => columnOf(table, column, kind)),
    `PRIMARY KEY (${key.join(', ')})`,
    ...(table.unique ?? []).map((unique) => `UNIQUE (${unique})`),
    ...(of === 'objects' && !postgres.isOfNone
      ? [`FOREIGN KEY (organization, object) REFERENCES objects ${GOES_WITH}`]
      : []),
  ]
  const { fillfactor } = postgres
  const form = fillfactor === undefined ? '' : ` WITH (fillfactor = ${fillfactor})`
  return [`CREATE TABLE ${name} (${lines.join(', ')})${form};`, ...indexesOf(table)].join('\n')
}

function columnOf(table: Table, column: string, kind: Column): string {
  const { type, isOptional } = partsOf(kind)
  const { key, of, ids, defaults, isSingle, references, postgres } = table
  const isOwner = column === 'organization' && of === 'organizations' && ids !== 'item'
  const parent = isOwner ? of : references?.[column]
  return [
    `${column} ${TYPES[type]}`,
    postgres?.bytewise?.includes(column) ? 'COLLATE "C"' : '',
    isOptional ? '' : 'NOT NULL',
    column === 'id' && ids === 'own' ? 'GENERATED ALWAYS AS IDENTITY' : '',
    key[0] === column && isSingle ? `CHECK (${column} = 1)` : '',
    defaults?.includes(column) ? `DEFAULT ${type === 'bool' ? 'false' : '0'}` : '',
    parent === undefined ? '' : `REFERENCES ${parent} ${GOES_WITH}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}
