import { type Steps, sortedIndices } from '../common/steps.ts'

/** Longitude and latitude in degrees, in this order, as in GeoJSON (RFC 7946, 3.1.1). */
export type LonLat = [longitude: number, latitude: number]

type Stored = {
  id: number
  organization: number
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

/** A polygon zone. */
export type GeofenceSettings = {
  name: string
  description: string | null
  color: string | null
  /** The outer ring as the caller gave it. It may or may not repeat its first vertex. */
  coordinates: LonLat[]
}
export type Geofence = GeofenceSettings & Stored

export type Waypoint = { location: LonLat; order: number }

/** A planned route: its waypoints and its geometry. */
export type RouteSettings = {
  name: string
  description: string | null
  color: string | null
  /** Meters. */
  deviation: number | null
  points: Waypoint[]
  /** The coordinates of a GeoJSON MultiLineString: lines of positions of two numbers. */
  coordinates: LonLat[][]
}
export type Route = RouteSettings & Stored

/** A circular point of interest. */
export type SiteSettings = {
  name: string
  description: string | null
  icon: string | null
  latitude: number
  longitude: number
  /** Meters. */
  radius: number | null
}
export type Site = SiteSettings & Stored

/**
 * The corners of a closed ring, the first one again at the end. Longitudes continue beyond 180 where the ring crosses
 * the antimeridian. Edge `i` is from corner `i` to corner `i + 1`, and `west[i]` is its western end.
 */
type Corners = { x: Float64Array; y: Float64Array; west: Float64Array }

/**
 * Comparisons for each vertex. Boundaries of countries need fewer than a hundred. The limit bounds the time for
 * a ring that was made to be slow; such a ring counts as free of crossings.
 */
const COMPARISONS = 1_000
/** Comparisons, or corners, of one step. */
const STEP = 5_000

/**
 * A point where two edges of a ring cross, or null. Edges that only touch do not cross. The ring may be open or
 * closed, and may cross the antimeridian.
 */
export function* crossingOf(ring: readonly LonLat[]): Steps<LonLat | null> {
  const corners = yield* cornersOf(ring)
  const { x, west } = corners
  let remaining = ring.length * COMPARISONS
  let work = 0
  /** The edges that may reach the next one, from the west. */
  const open: number[] = []
  for (const edge of yield* sortedIndices(west)) {
    let kept = 0
    for (const other of open) {
      if (Math.max(x[other]!, x[other + 1]!) < west[edge]!) continue
      const crossing = crossingOfTwo(corners, edge, other)
      if (crossing !== null) return crossing
      open[kept++] = other
    }
    open.length = kept
    remaining -= kept
    if (remaining < 0) return null
    open.push(edge)
    work += open.length
    if (work < STEP) continue
    work = 0
    yield
  }
  return null
}

function* cornersOf(ring: readonly LonLat[]): Steps<Corners> {
  const { length } = ring
  const x = new Float64Array(length + 1)
  const y = new Float64Array(length + 1)
  const west = new Float64Array(length)
  let before = ring[0]![0]
  for (let i = 0; i <= length; i += 1) {
    const [longitude, latitude] = ring[i % length]!
    before = longitude - 360 * Math.round((longitude - before) / 360)
    x[i] = before
    y[i] = latitude
    if (i > 0) west[i - 1] = Math.min(x[i - 1]!, before)
    if (i % STEP === 0) yield
  }
  return { x, y, west }
}

/** The point where two edges cross inside both, or null. */
function crossingOfTwo(corners: Corners, a: number, b: number): LonLat | null {
  const fromB = sideOf(corners, a, b)
  const toB = sideOf(corners, a, b + 1)
  if (fromB * toB >= 0 || sideOf(corners, b, a) * sideOf(corners, b, a + 1) >= 0) return null
  const { x, y } = corners
  const share = fromB / (fromB - toB)
  const longitude = x[b]! + share * (x[b + 1]! - x[b]!)
  return [normal(longitude), y[b]! + share * (y[b + 1]! - y[b]!)]
}

/** Positive: the corner is left of the edge. 0: on its line. */
function sideOf({ x, y }: Corners, edge: number, corner: number): number {
  const [toX, toY] = [x[edge + 1]! - x[edge]!, y[edge + 1]! - y[edge]!]
  return toX * (y[corner]! - y[edge]!) - toY * (x[corner]! - x[edge]!)
}

function normal(longitude: number): number {
  return longitude - 360 * Math.round(longitude / 360)
}

/** Degrees (WGS 84), all included. If `west` is greater than `east`, the box crosses the antimeridian. */
export type BoundingBox = {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export function isInside(
  { west, south, east, north }: BoundingBox,
  latitude: number,
  longitude: number,
): boolean {
  if (latitude < south || latitude > north) return false
  // 180 and -180 are one meridian.
  const isOnEdge = longitude === 180 || longitude === -180
  return isBetween(west, east, longitude) || (isOnEdge && isBetween(west, east, -longitude))
}

function isBetween(west: number, east: number, longitude: number): boolean {
  return west <= east
    ? longitude >= west && longitude <= east
    : longitude >= west || longitude <= east
}
