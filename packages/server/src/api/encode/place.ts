import type { Geofence, Route, Site } from '../../domain/place.ts'
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
    points: route.points.map(({ location, order }) => ({ location: position(location), order })),
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
  return JSON.stringify(geofenceRow(geofence))
}

export function encodeRoute(route: Route): string {
  return JSON.stringify(routeRow(route))
}

export function encodeSite(site: Site): string {
  return JSON.stringify(siteRow(site))
}

export function position([longitude, latitude]: [number, number]): (number | null)[] {
  return [rounded(longitude, DECIMALS.coordinate), rounded(latitude, DECIMALS.coordinate)]
}
