import type { Geofence, LonLat, Site } from '../../domain/place.ts'
import type { Box } from '../../domain/record.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { bandedRing } from './banded-ring.ts'

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
  return { box: boxOf(ring), contains: bandedRing(ring) }
}

/** The closed ring. Longitudes go on beyond 180 where it crosses the antimeridian. */
function unrolled(coordinates: readonly LonLat[]): LonLat[] {
  const path: LonLat[] = []
  let before = coordinates[0]![0]
  const append = (vertex: LonLat) => {
    if (!Number.isFinite(vertex[0]) || !Number.isFinite(vertex[1])) {
      throw new RangeError('a vertex of a ring is no position')
    }
    const turns = Math.round((vertex[0] - before) / 360)
    before = vertex[0] - 360 * turns
    path.push(turns === 0 ? vertex : [before, vertex[1]])
  }
  for (const vertex of coordinates) append(vertex)
  append(coordinates[0]!)
  return path
}

function closeAroundPole(ring: LonLat[]): void {
  const { north, south } = boxOf(ring)
  const pole = north + south < 0 ? -90 : 90
  ring.push([ring.at(-1)![0], pole], [ring[0]![0], pole], ring[0]!)
}

function boxOf(ring: readonly LonLat[]): Box {
  let [[west, south]] = ring as [LonLat]
  let [east, north] = [west, south]
  for (const [longitude, latitude] of ring) {
    if (longitude < west) west = longitude
    if (longitude > east) east = longitude
    if (latitude < south) south = latitude
    if (latitude > north) north = latitude
  }
  return { west, south, east, north }
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
