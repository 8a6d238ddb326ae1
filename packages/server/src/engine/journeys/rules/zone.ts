import pointInPolygon from 'point-in-polygon-hao'
import type { Geofence, LonLat, Site } from '../../../base/domain/places/place.ts'
import type { Box } from '../../../base/domain/record.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'

/** An area of the globe. Longitudes of its box may continue beyond 180, up to a whole turn. */
export type Zone = {
  readonly box: Box
  /** Whether a point is inside or on the border. The longitude is within the box. */
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

/** The closed ring. Longitudes continue beyond 180 where it crosses the antimeridian. */
function unrolled(coordinates: readonly LonLat[]): LonLat[] {
  const path: LonLat[] = []
  let before = coordinates[0]![0]
  const append = (vertex: LonLat) => {
    if (!Number.isFinite(vertex[0]) || !Number.isFinite(vertex[1])) {
      throw new RangeError('a vertex of a ring is not a position')
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

/** Meters. The Earth curves nowhere more than along the meridian at the equator. */
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

/** Rings with fewer edges are searched whole. */
const MIN_EDGES = 64

/** Edges of a band, if the ring winds evenly. */
const EDGES = 32

const MAX_BANDS = 4_096

/** All bands together have about this many edges for each edge of the ring. */
const MAX_COPIES = 4

/**
 * Returns whether a point is inside a closed ring or on its border. A ring of many edges is cut into bands of latitude
 * once, so that a point is compared with the edges of its band only. Edges that all cross the same latitudes stay
 * together, so a ring may be made such that each point is compared with all of them.
 */
export function bandedRing(ring: LonLat[]): (latitude: number, longitude: number) => boolean {
  const [south, north, climb] = extentOf(ring)
  const edges = ring.length - 1
  const most = Math.min(MAX_BANDS, Math.floor(edges / EDGES))
  const evenly = Math.floor(((MAX_COPIES - 1) * edges * (north - south)) / climb)
  const count = Math.min(most, evenly)
  // The answer on the border is 0.
  if (edges < MIN_EDGES || !(count > 1)) return (y, x) => pointInPolygon([x, y], [ring]) !== false
  const bandOf = (latitude: number) =>
    Math.min(count - 1, Math.max(0, Math.floor(((latitude - south) / (north - south)) * count)))
  const bands = bandsOf(ring, count, bandOf)
  return (y, x) => pointInPolygon([x, y], [bands[bandOf(y)]!]) !== false
}

/** The least and the greatest latitude, and all that the edges climb and fall. */
function extentOf(ring: readonly LonLat[]): [south: number, north: number, climb: number] {
  let [south, north, climb, before] = [90, -90, 0, ring[0]![1]]
  for (const [, latitude] of ring) {
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
    climb += Math.abs(latitude - before)
    before = latitude
  }
  return [south, north, climb]
}

/**
 * A closed ring for each band. It has the edges that touch the band, and one edge in place of each run that is wholly
 * above or below it. A ray along the band meets neither the run nor its replacement, so it crosses the same edges as
 * in the whole ring.
 */
function bandsOf(
  ring: readonly LonLat[],
  count: number,
  bandOf: (latitude: number) => number,
): LonLat[][] {
  const bands = Array.from({ length: count }, (): LonLat[] => [])
  const ends = new Int32Array(count).fill(-1)
  let from = bandOf(ring[0]![1])
  for (let end = 1; end < ring.length; end += 1) {
    const to = bandOf(ring[end]![1])
    for (let at = Math.min(from, to); at <= Math.max(from, to); at += 1) {
      const band = bands[at]!
      if (ends[at] !== end - 1) band.push(ring[end - 1]!)
      band.push(ring[end]!)
      ends[at] = end
    }
    from = to
  }
  for (const band of bands) if (band.length > 0) band.push(band[0]!)
  return bands
}
