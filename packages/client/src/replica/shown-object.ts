import type { FleetObject, LatestPosition, ObjectDetail, Position } from '../types.ts'
import type { ReplicaProgress, StoredItem, StoredPosition } from './replica-store.ts'

export const MM_PER_HUNDREDTH = { km: 10_000, mi: 16_093.44 }
export const MS_PER_MILLIHOUR = 3_600

type Unit = ReplicaProgress['distanceUnit']

/** A distance as answers show it: 2 decimals of the unit. While the server folds positions again it may be below 0. */
export function distanceOf(millimetres: number, unit: Unit): number {
  return Math.round(Math.max(0, millimetres) / MM_PER_HUNDREDTH[unit]) / 100
}

/** Engine hours as answers show them: 3 decimals. */
export function engineHoursOf(milliseconds: number): number {
  return Math.round(Math.max(0, milliseconds) / MS_PER_MILLIHOUR) / 1_000
}

const NOWHERE = { latitude: null, longitude: null, altitude: null, angle: null, speed: null }

/** An object as `GET /objects/{id}` answers it. The entry of the object also has its state of that moment. */
export function detailOf(
  { item: object, asOf }: StoredItem<'object'>,
  state: StoredItem<'state'> | undefined,
): ObjectDetail {
  if (state === undefined) return { ...object, ...NOWHERE }
  if (state.asOf >= asOf) return { ...object, ...state.item }
  const { latitude, longitude, altitude, angle, speed } = state.item
  return { ...object, latitude, longitude, altitude, angle, speed, ...currentOf(state.item) }
}

/** The current attributes, if the replica has them. */
function currentOf({
  attributes,
  attributes_at,
}: Pick<ObjectDetail, 'attributes' | 'attributes_at'>) {
  return attributes !== undefined && attributes_at !== undefined
    ? { attributes, attributes_at }
    : undefined
}

/** An object as `GET /objects` answers it. */
export function listItemOf(
  object: StoredItem<'object'>,
  state: StoredItem<'state'> | undefined,
): FleetObject {
  const detail = detailOf(object, state)
  const { latitude, longitude, altitude, angle, speed, attributes, attributes_at, ...item } = detail
  return item
}

/** A position as a history answers it. A counter that the position does not have is that of the object. */
export function rowOf(
  { position: { exact, ...position } }: StoredPosition,
  { ident, name, ...object }: ObjectDetail,
  unit: Unit,
): Position {
  const row = { ...position, ident, name }
  if (exact === undefined) return row
  const { odometer_mm, mileage_mm, engine_hours_ms } = exact
  row.engine_hours = engine_hours_ms === null ? object.engine_hours : engineHoursOf(engine_hours_ms)
  row.odometer = odometer_mm === null ? object.odometer : distanceOf(odometer_mm, unit)
  row.mileage = mileage_mm === null ? object.mileage : distanceOf(mileage_mm, unit)
  return row
}

/**
 * The latest position as `GET /positions/latest` answers it. Its counters are those of the object, which a later
 * packet may have moved on. Without the position, its `time_server` and address are those of the object too.
 */
export function latestOf(object: ObjectDetail, stored: StoredPosition | undefined): LatestPosition {
  const { id, ident, name, latitude, longitude, altitude, angle, speed, time_device } = object
  const { engine_hours, odometer, mileage } = object
  const { time_server, address } = stored?.position ?? object
  return {
    ...{ id, ident, name, latitude, longitude, altitude, angle, speed },
    ...{ time_server: time_device === null ? null : time_server, time_device },
    ...{ engine_hours, odometer, mileage, address },
    ...currentOf(object),
  }
}
