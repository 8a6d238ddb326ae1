import { writeArray, writeArrays } from '../../domain/json-steps.ts'
import type { Geofence, Route, Site, Waypoint } from '../../domain/place.ts'
import { inOneStep, runAtOnce, type Steps } from '../../domain/steps.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { DECIMALS, rounded } from './numbers.ts'

/** Places as rows, with the documented fields in the documented order. */
export function geofenceRow(geofence: Geofence) {
  return {
    id: geofence.id,
    name: geofence.name,
    description: geofence.description,
    color: geofence.color,
    coordinates: geofence.coordinates.map(position),
    created_at: formatInstant(geofence.createdAt),
    updated_at: formatInstant(geofence.updatedAt),
  }
}

export function routeRow(route: Route) {
  return {
    id: route.id,
    name: route.name,
    description: route.description,
    color: route.color,
    deviation: route.deviation,
    points: route.points.map(waypoint),
    coordinates: route.coordinates.map((line) => line.map(position)),
    created_at: formatInstant(route.createdAt),
    updated_at: formatInstant(route.updatedAt),
  }
}

export function siteRow(site: Site) {
  return {
    id: site.id,
    name: site.name,
    description: site.description,
    icon: site.icon,
    latitude: rounded(site.latitude, DECIMALS.coordinate),
    longitude: rounded(site.longitude, DECIMALS.coordinate),
    radius: site.radius,
    created_at: formatInstant(site.createdAt),
    updated_at: formatInstant(site.updatedAt),
  }
}

/** Places as JSON text. */
export function encodeGeofence(geofence: Geofence): string {
  return runAtOnce(writeGeofence(geofence))
}

export function encodeRoute(route: Route): string {
  return runAtOnce(writeRoute(route))
}

export function encodeSite(site: Site): string {
  return JSON.stringify(siteRow(site))
}

/** The same, in steps. */
export function* writeGeofence(geofence: Geofence): Steps<string> {
  const coordinates = yield* writeArray(geofence.coordinates, position)
  return filled(geofenceRow({ ...geofence, coordinates: [] }), { coordinates })
}

export function* writeRoute(route: Route): Steps<string> {
  const points = yield* writeArray(route.points, waypoint)
  const coordinates = yield* writeArrays(route.coordinates, position)
  return filled(routeRow({ ...route, points: [], coordinates: [] }), { points, coordinates })
}

export function writeSite(site: Site): Steps<string> {
  return inOneStep(() => encodeSite(site))
}

/** The JSON of a row, with these texts in place of its empty arrays. */
function filled(row: object, arrays: Readonly<Record<string, string>>): string {
  let text = JSON.stringify(row)
  for (const [name, array] of Object.entries(arrays)) {
    // No text of a user has this part: JSON escapes its quotes.
    const empty = `"${name}":[]`
    const at = text.lastIndexOf(empty)
    text = `${text.slice(0, at)}"${name}":${array}${text.slice(at + empty.length)}`
  }
  return text
}

function waypoint({ location, order }: Waypoint) {
  return { location: position(location), order }
}

export function position([longitude, latitude]: [number, number]): (number | null)[] {
  return [degrees(longitude), degrees(latitude)]
}

const SCALE = 10 ** DECIMALS.coordinate

/** Most values have no more decimals, and to round one takes thirty times as long. */
function degrees(value: number): number | null {
  return Math.round(value * SCALE) / SCALE === value ? value : rounded(value, DECIMALS.coordinate)
}
