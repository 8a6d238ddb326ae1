import type { Client } from 'pg'
import {
  distanceOf,
  engineHoursOf,
  MM_PER_HUNDREDTH,
  MS_PER_MILLIHOUR,
} from '../../replica/shown-object.ts'
import type { Put, Removal, Shift } from '../net-writes.ts'
import { POSITION_COLUMNS } from './tables.ts'

type Unit = 'km' | 'mi'

const NAMES = POSITION_COLUMNS.map(({ name }) => name)
const KEY = ['object_id', 'time_device']
const PUT = `
  INSERT INTO positions (${NAMES.join(', ')})
  SELECT * FROM unnest(${POSITION_COLUMNS.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')})
  ON CONFLICT (object_id, time_device) DO UPDATE SET
    ${NAMES.filter((name) => !KEY.includes(name))
      .map((name) => `${name} = excluded.${name}`)
      .join(', ')}`

const REMOVE = `
  DELETE FROM positions p
  USING unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS r (id, from_time, to_time)
  WHERE p.object_id = r.id
    AND p.time_device BETWEEN coalesce(r.from_time, '-infinity') AND coalesce(r.to_time, 'infinity')`
const REMOVE_OF_ALL = `
  DELETE FROM positions
  WHERE time_device BETWEEN coalesce($1::timestamptz, '-infinity') AND coalesce($2::timestamptz, 'infinity')`

/**
 * Adds to a position the sum of all shifts that it does not contain yet, and stores the number of the newest one.
 */
const SHIFT = `
  UPDATE positions p SET
    odometer_mm = p.odometer_mm + s.odometer_mm,
    mileage_mm = p.mileage_mm + s.mileage_mm,
    engine_hours_ms = p.engine_hours_ms + s.engine_hours_ms,
    as_of = s.as_of,
    odometer = floor((p.odometer_mm + s.odometer_mm) / $8::float8 + 0.5) / 100,
    mileage = floor((p.mileage_mm + s.mileage_mm) / $8::float8 + 0.5) / 100,
    engine_hours = floor((p.engine_hours_ms + s.engine_hours_ms) / ${MS_PER_MILLIHOUR}::float8 + 0.5) / 1000
  FROM (
    SELECT q.object_id, q.time_device, max(r.seq) AS as_of, sum(r.odometer_mm)::bigint AS odometer_mm,
      sum(r.mileage_mm)::bigint AS mileage_mm, sum(r.engine_hours_ms)::bigint AS engine_hours_ms
    FROM unnest(
      $1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]
    ) AS r (id, from_time, to_time, seq, odometer_mm, mileage_mm, engine_hours_ms)
    JOIN positions q ON q.object_id = r.id AND q.as_of < r.seq AND q.generation = $9
      AND q.time_device BETWEEN coalesce(r.from_time, '-infinity') AND coalesce(r.to_time, 'infinity')
    GROUP BY q.object_id, q.time_device
  ) AS s
  WHERE p.object_id = s.object_id AND p.time_device = s.time_device`

export async function putPositions(
  client: Client,
  puts: readonly Put[],
  unit: Unit,
  generation: number,
): Promise<void> {
  if (puts.length === 0) return
  const columns: unknown[][] = NAMES.map(() => [])
  for (const { id, time, position, asOf } of puts) {
    const { odometer_mm = null, mileage_mm = null, engine_hours_ms = null } = position.exact ?? {}
    const values = [
      ...[id, time, position.time_server, position.latitude, position.longitude, position.altitude],
      ...[position.angle, position.speed],
      engine_hours_ms === null ? null : engineHoursOf(engine_hours_ms),
      odometer_mm === null ? null : distanceOf(odometer_mm, unit),
      mileage_mm === null ? null : distanceOf(mileage_mm, unit),
      position.address,
      position.attributes === undefined ? null : JSON.stringify(position.attributes),
      ...[odometer_mm, mileage_mm, engine_hours_ms, asOf, generation],
    ]
    for (const [i, value] of values.entries()) columns[i]!.push(value)
  }
  await client.query({ name: 'put-positions', text: PUT, values: columns })
}

export async function removePositions(client: Client, removals: readonly Removal[]): Promise<void> {
  const ofOne = removals.filter(({ id }) => id !== null)
  if (ofOne.length > 0) {
    const values = [
      ofOne.map(({ id }) => id),
      ofOne.map(({ from }) => from),
      ofOne.map(({ to }) => to),
    ]
    await client.query(REMOVE, values)
  }
  for (const { id, from, to } of removals) {
    if (id === null) await client.query(REMOVE_OF_ALL, [from, to])
  }
}

export async function shiftPositions(
  client: Client,
  shifts: readonly Shift[],
  unit: Unit,
  generation: number,
): Promise<void> {
  if (shifts.length === 0) return
  const column = (name: keyof Shift) => shifts.map((shift) => shift[name])
  await client.query(SHIFT, [
    ...(['id', 'from', 'to', 'seq', 'odometer_mm', 'mileage_mm', 'engine_hours_ms'] as const).map(
      column,
    ),
    ...[MM_PER_HUNDREDTH[unit], generation],
  ])
}
