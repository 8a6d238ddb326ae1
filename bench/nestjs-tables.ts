import type pg from 'pg'
import { encodeObjectDetail } from '../packages/server/src/api/encode/object.ts'
import { UNSEEN } from '../packages/server/src/domain/position/object-state.ts'
import type { Store } from '../packages/server/src/store/store.ts'
import { driveEnd, driveFix } from './drive.ts'
import type { AnswerRow } from './platformatic-table.ts'

const COPY_ORGANIZATIONS = `
  INSERT INTO nestjs.organization SELECT id, name, subscription, daily_quota FROM organizations`
const COPY_KEYS = `
  INSERT INTO nestjs.api_key (hash, organization_id) SELECT hash, organization FROM api_keys`
const ADD_OBJECTS = `
  INSERT INTO nestjs.tracked_object
  SELECT * FROM jsonb_populate_recordset(NULL::nestjs.tracked_object, $1)`
/** The rows of all objects at one moment are adjacent, as a live fleet writes them. */
const ADD_POSITIONS = `
  INSERT INTO nestjs.position
  SELECT driven.object_id, row.time_device, row.time_server, row.latitude, row.longitude,
    row.altitude, row.angle, row.speed, row.engine_hours, row.odometer, row.mileage, row.address
  FROM jsonb_populate_recordset(NULL::nestjs.position, $1) AS row
  JOIN unnest($2::int[], $3::timestamptz[]) AS driven (object_id, until)
    ON row.time_device <= driven.until
  ORDER BY row.time_device, driven.object_id`
const AT_ONCE = 5_000

/** An object with the drive of `bench/drive.ts`, and the length of its drive. */
export type Driven = { object: number; rows: number }

/** Fills the tables with everything from a Fleetgate in the same database except positions. */
export async function copyCatalogue(sql: pg.Client, store: Store): Promise<void> {
  await sql.query(COPY_ORGANIZATIONS)
  await sql.query(COPY_KEYS)
  let rows: object[] = []
  for (const organization of await store.organizations.list()) {
    const states = await store.positions.states(organization.id)
    for (const object of await store.objects.list(organization.id)) {
      const state = states.get(object.id) ?? UNSEEN
      const detail = JSON.parse(encodeObjectDetail({ object, state }, organization.distanceUnit))
      rows.push({ ...detail, ...detail.vehicle_data, organization_id: organization.id })
    }
    if (rows.length < AT_ONCE) continue
    await sql.query(ADD_OBJECTS, [JSON.stringify(rows)])
    rows = []
  }
  await sql.query(ADD_OBJECTS, [JSON.stringify(rows)])
}

/** `rows`: the longest drive, as Fleetgate answers it. */
export async function addPositions(
  sql: pg.Client,
  rows: AnswerRow[],
  driven: Driven[],
): Promise<void> {
  // An answer shows the last known address in rows that have none.
  const own = rows.map((row, i) => ({ ...row, address: driveFix(i).address }))
  await sql.query(ADD_POSITIONS, [
    JSON.stringify(own),
    driven.map(({ object }) => object),
    driven.map((each) => new Date(driveEnd(each.rows))),
  ])
  for (const table of ['position', 'tracked_object', 'api_key', 'organization']) {
    await sql.query(`VACUUM (FREEZE, ANALYZE) nestjs.${table}`)
  }
}
