import { TABLES } from '../schema.ts'
import { type Column, type ColumnType, indexesOf, partsOf, type Table } from '../table.ts'

/** Takes a database from one version to the next. A released migration never changes. */
export type Migration = {
  /** One or more SQL statements. */
  text: string
  /** The oldest version whose programs can use the database afterwards. */
  compatibleFrom: number
}

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
function createTable(table: Table): string {
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

/**
 * There are two sorts of tables, so that they can be distributed over several servers unchanged
 * (`lay-out.ts`): small ones that are copied to each server, and those whose keys and statements begin with
 * the organization.
 */

/** `epoch_of` names the database for which the epoch was made. */
const CHANGES = `
-- What was announced of an organization outlives it.
CREATE TABLE changes (
  organization bigint NOT NULL,
  topic text NOT NULL,
  sequence bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization, topic)
);
CREATE INDEX changes_by_xid ON changes (xid);

-- Updated with every write.
CREATE TABLE sequences (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  newest bigint NOT NULL DEFAULT 0,
  objects bigint NOT NULL DEFAULT 0,
  states bigint NOT NULL DEFAULT 0,
  logged bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE change_epoch (
  id int PRIMARY KEY CHECK (id = 1),
  epoch text NOT NULL,
  epoch_of text NOT NULL
);
INSERT INTO change_epoch VALUES (1, '', '');
`

const IDS = `
-- The ids that are taken, in the whole deployment: a key of a distributed table cannot tell.
CREATE TABLE ids (
  kind text NOT NULL,
  id bigint NOT NULL,
  organization bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX ids_by_organization ON ids (organization);
${TABLES.flatMap(({ name, ids }) => (ids === 'item' ? `CREATE SEQUENCE ${name}_id;` : [])).join('\n')}
`

/** Each position has its part of the fold (`track`, see `tracking/stored-position.ts`), and the change that hid it. */
const POSITIONS = `
-- A history is read from the key's index alone. One partition a week, made ahead by upkeep.
CREATE TABLE positions (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  time_device bigint NOT NULL,
  change bigint NOT NULL,
  hidden bigint,
  fix bytea NOT NULL,
  track bytea NOT NULL,
  PRIMARY KEY (organization, object, time_device) INCLUDE (change, hidden, fix)
) PARTITION BY RANGE (time_device);
ALTER TABLE positions ALTER COLUMN fix SET STORAGE PLAIN;
CREATE TABLE positions_default PARTITION OF positions DEFAULT;
-- Blocks are compressed already.
ALTER TABLE position_blocks ALTER COLUMN block SET STORAGE EXTERNAL;
`

/** The lasting copy of the quota counters. */
const QUOTA_COUNTS = `
CREATE TABLE quota_counts (
  organization bigint NOT NULL,
  day int NOT NULL,
  object bigint NOT NULL,
  hundredths bigint NOT NULL,
  PRIMARY KEY (organization, day, object)
);
`

const ACCESS = 'INSERT INTO access_settings (id, requires_totp) VALUES (1, false);'

/** The first migration: makes the tables of an empty database. */
export const schema: Migration = {
  text: [...TABLES.map(createTable), ...[CHANGES, IDS, POSITIONS, QUOTA_COUNTS, ACCESS]].join('\n'),
  compatibleFrom: 1,
}
