import { LISTED, type ListedItems, RECORDS } from '../../changes/change-kinds.ts'
import type { RecordKind } from '../../replica/replica-store.ts'
import type { ObjectDetail } from '../../types.ts'
import {
  type ColumnType,
  json,
  type Kind,
  LISTED_KINDS,
  OBJECTS,
  RECORD_KINDS,
} from '../files/kinds.ts'

type Table = { table: string; kind: Kind<never> }

/** The values of all attributes are in one column, because their names change with the catalogue of the organization. */
const OBJECTS_WITH_CURRENT: Kind<ObjectDetail> = {
  ...OBJECTS,
  columns: [
    ...OBJECTS.columns,
    { name: 'attributes', type: 'json' },
    { name: 'attributes_at', type: 'json' },
  ],
  cells: (row) => [...OBJECTS.cells(row), json(row.attributes), json(row.attributes_at)],
}

/** The tables of items, by the kind that fills them. */
export const ITEM_TABLES: Record<'object' | keyof ListedItems, Table> = {
  object: { table: 'objects', kind: OBJECTS_WITH_CURRENT },
  ...tablesOf(LISTED, LISTED_KINDS),
}

/** The tables of records. They exist only if they were asked for. */
export const RECORD_TABLES: Record<RecordKind, Table> = tablesOf(RECORDS, RECORD_KINDS)

function tablesOf<Name extends string>(
  lists: Readonly<Record<Name, string>>,
  kinds: Readonly<Record<Name, Kind<never>>>,
): Record<Name, Table> {
  const names = Object.keys(lists) as Name[]
  const tables = names.map((name) => [name, { table: lists[name], kind: kinds[name] }])
  return Object.fromEntries(tables) as Record<Name, Table>
}

const TYPES: Record<ColumnType, string> = {
  integer: 'bigint',
  number: 'double precision',
  text: 'text',
  time: 'timestamptz',
  json: 'jsonb',
  boolean: 'boolean',
}

/** Columns of positions in the order in which `putPositions` fills them. */
export const POSITION_COLUMNS: readonly { name: string; type: string }[] = [
  { name: 'object_id', type: 'bigint' },
  ...columns('timestamptz', 'time_device', 'time_server'),
  ...columns('double precision', 'latitude', 'longitude', 'altitude', 'angle', 'speed'),
  ...columns('double precision', 'engine_hours', 'odometer', 'mileage'),
  { name: 'address', type: 'text' },
  { name: 'attributes', type: 'jsonb' },
  ...columns('bigint', 'odometer_mm', 'mileage_mm', 'engine_hours_ms', 'as_of'),
  { name: 'generation', type: 'integer' },
]

function columns(type: string, ...names: string[]) {
  return names.map((name) => ({ name, type }))
}

/** Creates the tables where they are missing. */
export const CREATE_TABLES = [
  `CREATE TABLE IF NOT EXISTS fleetgate_pull (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    version integer NOT NULL,
    url text NOT NULL,
    generation integer NOT NULL,
    progress json
  )`,
  'ALTER TABLE fleetgate_pull ADD COLUMN IF NOT EXISTS has_records boolean NOT NULL DEFAULT false',
  `CREATE TABLE IF NOT EXISTS fleetgate_pull_items (
    kind text NOT NULL,
    id bigint NOT NULL,
    generation integer NOT NULL,
    as_of bigint NOT NULL,
    item json NOT NULL,
    PRIMARY KEY (kind, id)
  )`,
  ...Object.values(ITEM_TABLES).map(({ table, kind }) => itemTable(table, kind.columns)),
  `CREATE TABLE IF NOT EXISTS positions (
    ${POSITION_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')},
    PRIMARY KEY (object_id, time_device)
  )`,
  'CREATE INDEX IF NOT EXISTS positions_by_time ON positions USING brin (time_device)',
  // The rows of a history: a counter that a position does not have is that of its object.
  `CREATE OR REPLACE VIEW histories AS
    SELECT p.object_id AS id, o.ident, o.name, p.latitude, p.longitude, p.altitude, p.angle, p.speed,
      p.time_server, p.time_device,
      CASE WHEN p.engine_hours_ms IS NULL THEN o.engine_hours ELSE p.engine_hours END AS engine_hours,
      CASE WHEN p.odometer_mm IS NULL THEN o.odometer ELSE p.odometer END AS odometer,
      CASE WHEN p.mileage_mm IS NULL THEN o.mileage ELSE p.mileage END AS mileage, p.address, p.attributes
    FROM positions p JOIN objects o ON o.id = p.object_id`,
]

/** Creates the tables of records. Fails if the schema has other tables with these names. */
export const CREATE_RECORD_TABLES = [
  ...Object.values(RECORD_TABLES).flatMap(({ table, kind }) => [
    `CREATE TABLE ${table} (${columnsText(kind.columns)}, PRIMARY KEY (id))`,
    `CREATE INDEX ON ${table} (object_id, start_time)`,
    `CREATE INDEX ON ${table} (end_time)`,
  ]),
  'CREATE INDEX ON visits (place_id)',
  'UPDATE fleetgate_pull SET has_records = true',
]

function itemTable(table: string, columnsOf: Table['kind']['columns']): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (${columnsText(columnsOf)}, PRIMARY KEY (id))`
}

function columnsText(columnsOf: Table['kind']['columns']): string {
  return columnsOf.map(({ name, type }) => `${name} ${TYPES[type]}`).join(', ')
}
