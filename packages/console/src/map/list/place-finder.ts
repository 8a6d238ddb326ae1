import {
  circleZone,
  ringZone,
  type Zone,
} from '../../../../server/src/engine/journeys/rules/zone.ts'
import { distanceMetres } from '../../../../server/src/engine/tracking/rules/geodesic.ts'
import { placeText } from '../../ui/format.ts'
import type { ObjectName } from '../labels/object-names.ts'
import type { Places } from '../places/places.ts'

/** Up to this far from where an address was found, it still says where the vehicle is. */
const ADDRESS_REACH_M = 150

/** One that moves has gone this far at most since its address was asked for. */
const MOVING_REACH_M = 1_500

export type PlaceFinder = (longitude: number, latitude: number) => string | undefined

/** Returns the name of the site or else the geofence in which a point is. */
export function placeFinder({ sites = [], geofences = [] }: Places): PlaceFinder {
  const zones: { name: string; zone: Zone }[] = []
  for (const { name, ...site } of sites) {
    const zone = circleZone(site)
    if (zone !== null) zones.push({ name, zone })
  }
  for (const { name, coordinates } of geofences) {
    if (coordinates.length > 0) zones.push({ name, zone: ringZone({ coordinates }) })
  }
  return (longitude, latitude) => zones.find(({ zone }) => isIn(zone, longitude, latitude))?.name
}

function isIn({ box, contains }: Zone, longitude: number, latitude: number): boolean {
  if (latitude < box.south || latitude > box.north) return false
  const turned = longitude < box.west ? longitude + 360 : longitude
  return turned >= box.west && turned <= box.east && contains(latitude, turned)
}

type Known = Pick<ObjectName, 'address' | 'longitude' | 'latitude'>

/** Whether an address that is known says where a point is. */
export function isNear(
  known: Known,
  longitude: number,
  latitude: number,
  reach = ADDRESS_REACH_M,
): boolean {
  const { longitude: lon, latitude: lat } = known
  if (lon === null || lat === null) return false
  return distanceMetres(lat, lon, latitude, longitude) <= reach
}

/** The address, if it is known for about this point, else the place, else the coordinates. */
export function whereText(
  longitude: number,
  latitude: number,
  known: Known | undefined,
  placeAt: PlaceFinder,
  isMoving = false,
): string {
  const reach = isMoving ? MOVING_REACH_M : ADDRESS_REACH_M
  if (known?.address != null && isNear(known, longitude, latitude, reach)) return known.address
  return placeAt(longitude, latitude) ?? placeText({ longitude, latitude })
}
