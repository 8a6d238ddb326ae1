import { detailOf, distanceOf, engineHoursOf } from '../../replica/shown-object.ts'
import type { ObjectDetail, Position } from '../../types.ts'
import { attributesOf, type Stored } from '../working-set/stored.ts'
import type { WorkingSet } from '../working-set/working-set.ts'

/** The fields of an object that its positions show. */
type Shown = Pick<ObjectDetail, 'ident' | 'name' | 'engine_hours' | 'odometer' | 'mileage'>

/** All objects with their states, as the API returns their details. */
export function* shownObjects(set: Pick<WorkingSet, 'item' | 'items'>): Generator<ObjectDetail> {
  for (const object of set.items('object')) {
    yield detailOf(object, set.item('state', object.item.id))
  }
}

/**
 * Turns stored positions into rows as the API returns them. A position without a counter shows that of its object.
 */
export function positionRows(
  set: WorkingSet,
  unit: 'km' | 'mi',
): (stored: Stored) => Position | undefined {
  const objects = new Map<number, Shown>()
  for (const { id, ident, name, engine_hours, odometer, mileage } of shownObjects(set)) {
    objects.set(id, { ident, name, engine_hours, odometer, mileage })
  }
  return (stored) => {
    const object = objects.get(stored.id)
    if (object === undefined) return undefined
    const { engineHoursMs, odometerMm, mileageMm } = stored
    return {
      id: stored.id,
      ident: object.ident,
      name: object.name,
      latitude: stored.latitude,
      longitude: stored.longitude,
      altitude: stored.altitude,
      angle: stored.angle,
      speed: stored.speed,
      time_server: new Date(stored.timeServer).toISOString(),
      time_device: new Date(stored.time).toISOString(),
      engine_hours: engineHoursMs === null ? object.engine_hours : engineHoursOf(engineHoursMs),
      odometer: odometerMm === null ? object.odometer : distanceOf(odometerMm, unit),
      mileage: mileageMm === null ? object.mileage : distanceOf(mileageMm, unit),
      address: stored.address,
      ...attributesOf(stored),
    }
  }
}
