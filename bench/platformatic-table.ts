import type pg from 'pg'
import type { Tenant } from './tenants.ts'

/** A row as Fleetgate answers it. */
export type AnswerRow = Record<string, string | number | null>

/** The rows of all objects at one moment are adjacent, as a live fleet writes them, in both tables. */
const COPY_RECORDS = `
  INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
  SELECT other.organization, other.id, time_device, change, hidden, fix, track
  FROM positions JOIN objects AS other ON other.organization <> positions.organization
  WHERE positions.organization = $1
  ORDER BY time_device`
const COPY_STATES = `
  INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at)
  SELECT other.organization, other.id, last_fix, numbers, state.address, address_at
  FROM object_states AS state JOIN objects AS other ON other.organization <> state.organization
  WHERE state.organization = $1`
const COPY_SEQUENCES = `
  UPDATE sequences SET newest = first.newest, objects = first.objects, states = first.states
  FROM sequences AS first WHERE first.organization = $1`

/** Copies the positions of the first tenant's object to each other tenant's object. */
export async function repeatDrive(sql: pg.Client, first: Tenant): Promise<void> {
  for (const statement of [COPY_RECORDS, COPY_STATES, COPY_SEQUENCES]) {
    await sql.query(statement, [first.organization])
  }
  await sql.query('VACUUM (FREEZE, ANALYZE) positions')
}

const TABLE = `
  CREATE TABLE history (
    organization integer NOT NULL,
    id integer NOT NULL,
    ident text NOT NULL,
    name text NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    altitude double precision,
    angle double precision,
    speed double precision,
    time_server timestamptz NOT NULL,
    time_device timestamptz NOT NULL,
    engine_hours double precision,
    odometer double precision,
    mileage double precision,
    address text
  )`
const FILL = `
  INSERT INTO history
  SELECT object.organization, object.id, object.ident, object.name,
    row.latitude, row.longitude, row.altitude, row.angle, row.speed, row.time_server,
    row.time_device, row.engine_hours, row.odometer, row.mileage, row.address
  FROM jsonb_populate_recordset(NULL::history, $1) AS row CROSS JOIN objects AS object
  ORDER BY row.time_device`

/**
 * Writes the same rows into a table with a typed column for each field of an answer, and the key of a history.
 */
export async function writeHistoryTable(sql: pg.Client, rows: AnswerRow[]): Promise<void> {
  await sql.query(TABLE)
  await sql.query(FILL, [JSON.stringify(rows)])
  await sql.query('ALTER TABLE history ADD PRIMARY KEY (organization, id, time_device)')
  await sql.query('VACUUM (FREEZE, ANALYZE) history')
}

const FIELDS = [
  'id',
  'ident',
  'name',
  'latitude',
  'longitude',
  'altitude',
  'angle',
  'speed',
  'timeServer',
  'timeDevice',
  'engineHours',
  'odometer',
  'mileage',
  'address',
]

/** The same history from Platformatic DB: filtered, ordered, with the fields of an answer. */
export function platformaticPath(tenant: Tenant, from: number, to: number, limit: number): string {
  const query = new URLSearchParams({
    'where.organization.eq': `${tenant.organization}`,
    'where.id.eq': `${tenant.object}`,
    'where.timeDevice.gte': new Date(from).toISOString(),
    'where.timeDevice.lte': new Date(to).toISOString(),
    'orderby.timeDevice': 'asc',
    limit: `${limit}`,
  })
  for (const field of FIELDS) query.append('fields', field)
  return `/history/?${query}`
}

/** Converts a row of Platformatic DB to a row of Fleetgate: other names, and ids as numbers. */
export function asAnswered({ id, ...row }: AnswerRow): AnswerRow {
  const renamed = Object.entries(row).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
    value,
  ])
  return { id: Number(id), ...Object.fromEntries(renamed) }
}
