import type pg from 'pg'
import type { Tenant } from './tenants.ts'

/** The rows of all objects at one moment are adjacent, as a live fleet writes them. */
const COPY_RECORDS = `
  INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
  SELECT other.organization, other.id, time_device, change, hidden, fix, track
  FROM positions JOIN objects AS other ON other.organization <> positions.organization
  WHERE positions.organization = $1
  ORDER BY time_device`
const COPY_STATES = `
  INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at, rules)
  SELECT other.organization, other.id, last_fix, numbers, state.address, address_at, rules
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
