import pointInPolygon from 'point-in-polygon-hao'
import type { Geofence, LonLat, Site } from '../../domain/place.ts'
import type { Box } from '../../domain/record.ts'
import { distanceMetres } from '../../fold/rules/geodesic.ts'

/** An area of the globe. Longitudes of its box may go on beyond 180, up to a whole turn. */
export type Zone = {
  readonly box: Box
  /** Whether a point is inside or on the border. The longitude lies within the box. */
  contains(latitude: number, longitude: number): boolean
}

/**
 * The zone of a geofence. Its edges are straight lines between longitudes and latitudes (RFC 7946, 3.1.1) and
 * take the shorter way around the globe. A ring around a pole contains the pole that is nearer to it.
 */
export function ringZone({ coordinates }: Pick<Geofence, 'coordinates'>): Zone {
  const ring = unrolled(coordinates)
  const turns = ring.at(-1)![0] - ring[0]![0]
  if (turns !== 0) closeAroundPole(ring)
  const longitudes = ring.map(([longitude]) => longitude)
  const latitudes = ring.map(([, latitude]) => latitude)
  return {
    box: {
      west: Math.min(...longitudes),
      south: Math.min(...latitudes),
      east: Math.max(...longitudes),
      north: Math.max(...latitudes),
    },
    // The answer on the border is 0.
    contains: (latitude, longitude) => pointInPolygon([longitude, latitude], [ring]) !== false,
  }
}

/** The closed ring. Longitudes go on beyond 180 where it crosses the antimeridian. */
function unrolled(coordinates: readonly LonLat[]): LonLat[] {
  const path: LonLat[] = []
  for (const [longitude, latitude] of [...coordinates, coordinates[0]!]) {
    const before = path.at(-1)?.[0] ?? longitude
    path.push([longitude - 360 * Math.round((longitude - before) / 360), latitude])
  }
  return path
}

function closeAroundPole(ring: LonLat[]): void {
  const latitudes = ring.map(([, latitude]) => latitude)
  const pole = Math.max(...latitudes) + Math.min(...latitudes) < 0 ? -90 : 90
  ring.push([ring.at(-1)![0], pole], [ring[0]![0], pole], ring[0]!)
}

/** Metres. The Earth curves nowhere more than along the meridian at the equator. */
const SMALLEST_RADIUS = 6_335_000
const DEGREES = 180 / Math.PI

/** The zone of a site. Null if it has no radius. */
export function circleZone(site: Pick<Site, 'latitude' | 'longitude' | 'radius'>): Zone | null {
  const { latitude, longitude, radius } = site
  if (radius === null) return null
  return {
    box: boxAround(latitude, longitude, radius),
    contains: (lat, lon) => distanceMetres(latitude, longitude, lat, lon) <= radius,
  }
}

/** A box that contains every point within the radius; on a sphere that is a little too small. */
function boxAround(latitude: number, longitude: number, radius: number): Box {
  const angle = (radius / SMALLEST_RADIUS) * 1.01
  const [south, north] = [latitude - angle * DEGREES, latitude + angle * DEGREES]
  const hasPole = south <= -90 || north >= 90
  const sine = Math.sin(angle) / Math.cos(latitude / DEGREES)
  const aside = hasPole || !(sine < 1) ? 180 : Math.asin(sine) * DEGREES
  return { south, north, west: longitude - aside, east: longitude + aside }
}
