import {
  hasNoWidth,
  isFlatPolarRing,
  joinLines,
  joinRings,
} from '../../base/domain/places/antimeridian-join.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import { type Fault, fault, isFault, type Remarks } from './row.ts'

/** A GeoJSON geometry (RFC 7946, 3.1), unchecked. */
type Geometry = { type: string; coordinates: unknown }

/** Places are flat: a third coordinate is dropped, with a note. */
const ALTITUDE_NOTE = 'positions with a third coordinate: it was dropped'
/** Some maps draw on where the world begins again. */
const TURN_NOTE = 'longitudes beyond 180 degrees: they were wrapped around the globe'
/** A turn leaves these decimals of a longitude. */
const DECIMALS = 12

/** The outer ring of a Polygon, unchanged, or of polygons that were one until they were cut at the antimeridian. */
export function ringOf(given: unknown, remarks: Remarks): LonLat[] | Fault {
  const geometry = geometryIn(given)
  if (geometry === null) return noGeometry('Polygon')
  const { type, coordinates } = geometry
  const isCut = type === 'MultiPolygon' && Array.isArray(coordinates) && coordinates.length > 1
  if (!isCut && type !== 'Polygon') return unsupported(type, 'a geofence must be a Polygon')
  const rings: LonLat[][] = []
  for (const polygon of isCut ? coordinates : [coordinates]) {
    const ring = outerRingOf(polygon, remarks)
    if (isFault(ring)) return ring
    rings.push(ring)
  }
  const [ring] = rings as [LonLat[]]
  if (hasNoWidth(rings.flat())) return ring
  if (!isCut && !isFlatPolarRing(ring)) return ring
  const joined = joinRings(rings)
  if (joined !== null) return joined
  return isCut
    ? fault('several_polygons', `a geofence must be one Polygon, not ${rings.length}`)
    : ring
}

function outerRingOf(polygon: unknown, remarks: Remarks): LonLat[] | Fault {
  if (!Array.isArray(polygon) || polygon.length === 0) return badGeometry()
  if (polygon.length === 1) return pathOf(polygon[0], remarks)
  return fault('holes', `a geofence must be one ring without holes, not with ${polygon.length - 1}`)
}

/** The lines of a LineString or MultiLineString, unchanged but for a cut at the antimeridian. */
export function linesOf(given: unknown, remarks: Remarks): LonLat[][] | Fault {
  const geometry = geometryIn(given)
  if (geometry === null) return noGeometry('LineString or MultiLineString')
  const { type, coordinates } = geometry
  if (type === 'LineString') {
    const path = pathOf(coordinates, remarks)
    return isFault(path) ? path : [path]
  }
  if (type !== 'MultiLineString') {
    return unsupported(type, 'a route must be a LineString or MultiLineString')
  }
  if (!Array.isArray(coordinates)) return badGeometry()
  const paths: LonLat[][] = []
  for (const line of coordinates) {
    const path = pathOf(line, remarks)
    if (isFault(path)) return path
    paths.push(path)
  }
  return joinLines(paths)
}

/** The position of a Point. */
export function pointOf(given: unknown, remarks: Remarks): LonLat | Fault {
  const geometry = geometryIn(given)
  if (geometry === null) return noGeometry('Point')
  if (geometry.type !== 'Point') return unsupported(geometry.type, 'a site must be a Point')
  return positionOf(geometry.coordinates, remarks)
}

/** A single position, such as a waypoint's. `farthest`: of its longitude from 0. */
export function positionOf(given: unknown, remarks: Remarks, farthest = 180): LonLat | Fault {
  if (!Array.isArray(given)) return badGeometry()
  const [longitude, latitude] = given
  if (given.length < 2 || !Number.isFinite(longitude) || !Number.isFinite(latitude)) {
    return badGeometry()
  }
  if (Math.abs(longitude) > farthest || Math.abs(latitude) > 90) {
    return noPosition(longitude, latitude)
  }
  if (given.length > 2) remarks.notes.add(ALTITUDE_NOTE)
  return [longitude, latitude]
}

/** Maps that repeat the world continue beyond 180 degrees: each position is within half a turn of the previous one. */
function pathOf(given: unknown, remarks: Remarks): LonLat[] | Fault {
  if (!Array.isArray(given)) return badGeometry()
  const path: LonLat[] = []
  let before: number | undefined
  for (const each of given) {
    const position = positionOf(each, remarks, 360)
    if (isFault(position)) return position
    const [longitude, latitude] = position
    if (Math.max(Math.abs(longitude), Math.abs(before ?? 0)) > 180) {
      if (Math.abs(longitude - (before ?? longitude)) > 180) return noPosition(longitude, latitude)
      remarks.notes.add(TURN_NOTE)
    }
    before = longitude
    path.push([turnedBack(longitude), latitude])
  }
  return path
}

/** The same longitude between -180 and 180. */
function turnedBack(longitude: number): number {
  if (Math.abs(longitude) <= 180) return longitude
  return Number((longitude - Math.sign(longitude) * 360).toFixed(DECIMALS))
}

function geometryIn(given: unknown): Geometry | null {
  const geometry = typeof given === 'string' ? parseGeometry(given) : given
  const isGeometry = typeof geometry === 'object' && geometry !== null && 'type' in geometry
  return isGeometry ? (geometry as Geometry) : null
}

function parseGeometry(text: string): unknown {
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : parseWkt(text)
  } catch {
    return null
  }
}

const WKT_TYPES: Readonly<Record<string, string>> = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  POLYGON: 'Polygon',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
}

/** The geometry of well-known text, its numbers in the order of the text. Null: it is something else. */
export function wktIn(text: string): Geometry | null {
  try {
    return parseWkt(text)
  } catch {
    return null
  }
}

/** Well-known text, the form of a geometry in CSV. Null if it is something else. */
function parseWkt(text: string): Geometry | null {
  const match = /^(?:SRID=4326;\s*)?([A-Z]+?)(?:\s*(?:ZM?|M))?\s*(\(.*\))$/is.exec(text.trim())
  const type = WKT_TYPES[match?.[1]?.toUpperCase() ?? '']
  if (match === null || type === undefined) return null
  const json = match[2]!
    .replace(/[^(),]+/g, (numbers) =>
      numbers.trim() === '' ? '' : `[${numbers.trim().split(/\s+/)}]`,
    )
    .replaceAll('(', '[')
    .replaceAll(')', ']')
  const coordinates: unknown = JSON.parse(json)
  return { type, coordinates: type === 'Point' ? (coordinates as unknown[])[0] : coordinates }
}

function noGeometry(expected: string): Fault {
  return fault('no_geometry', `there is no geometry; use a ${expected}`)
}

function unsupported(type: unknown, expected: string): Fault {
  const kind = IMPORT_OF[String(type)]
  const advice = kind === undefined ? '' : `; use 'import ${kind}'`
  return fault('unsupported_geometry', `${expected}, not a ${String(type)}${advice}`)
}

/** The import that takes a type of geometry. */
const IMPORT_OF: Readonly<Record<string, string>> = {
  Polygon: 'geofences',
  LineString: 'routes',
  MultiLineString: 'routes',
  Point: 'sites',
}

function noPosition(longitude: number, latitude: number): Fault {
  return fault(
    'out_of_range',
    `[${longitude}, ${latitude}] is not a [longitude, latitude] pair in degrees`,
  )
}

function badGeometry(): Fault {
  return fault('bad_geometry', 'the coordinates do not match the type of the geometry')
}
