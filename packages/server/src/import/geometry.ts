import type { LonLat } from '../domain/place.ts'
import { type Fault, fault, type Remarks } from './row.ts'

/** A GeoJSON geometry (RFC 7946, 3.1), unchecked. */
type Geometry = { type: string; coordinates: unknown }

/** Places are flat: a third coordinate is dropped, with a note. */
const ALTITUDE_NOTE = 'positions with a third coordinate: it was dropped'

/** The outer ring of a Polygon, unchanged. */
export function ringOf(given: unknown, remarks: Remarks): LonLat[] | Fault {
  const geometry = geometryIn(given)
  if (geometry === null) return noGeometry('Polygon')
  const { type, coordinates } = geometry
  if (type === 'MultiPolygon' && Array.isArray(coordinates) && coordinates.length > 1) {
    return fault('several_polygons', `a geofence is one Polygon, not ${coordinates.length}`)
  }
  if (type !== 'Polygon') return unsupported(type, 'a geofence is a Polygon')
  if (!Array.isArray(coordinates) || coordinates.length === 0) return badGeometry()
  if (coordinates.length > 1) {
    return fault(
      'holes',
      `a geofence is one ring without holes, not with ${coordinates.length - 1}`,
    )
  }
  return pathOf(coordinates[0], remarks)
}

/** The lines of a LineString or MultiLineString, unchanged. */
export function linesOf(given: unknown, remarks: Remarks): LonLat[][] | Fault {
  const geometry = geometryIn(given)
  if (geometry === null) return noGeometry('LineString or MultiLineString')
  const { type, coordinates } = geometry
  if (type === 'LineString') {
    const path = pathOf(coordinates, remarks)
    return 'reason' in path ? path : [path]
  }
  if (type !== 'MultiLineString') {
    return unsupported(type, 'a route is a LineString or MultiLineString')
  }
  if (!Array.isArray(coordinates)) return badGeometry()
  const paths: LonLat[][] = []
  for (const line of coordinates) {
    const path = pathOf(line, remarks)
    if ('reason' in path) return path
    paths.push(path)
  }
  return paths
}

/** The position of a Point. */
export function pointOf(given: unknown, remarks: Remarks): LonLat | Fault {
  const geometry = geometryIn(given)
  if (geometry === null) return noGeometry('Point')
  if (geometry.type !== 'Point') return unsupported(geometry.type, 'a site is a Point')
  return positionOf(geometry.coordinates, remarks)
}

/** A single position, such as a waypoint's. */
export function positionOf(given: unknown, remarks: Remarks): LonLat | Fault {
  if (!Array.isArray(given)) return badGeometry()
  const [longitude, latitude] = given
  if (given.length < 2 || !Number.isFinite(longitude) || !Number.isFinite(latitude)) {
    return badGeometry()
  }
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90) {
    return fault(
      'out_of_range',
      `[${longitude}, ${latitude}] is no [longitude, latitude] in degrees`,
    )
  }
  if (given.length > 2) remarks.notes.add(ALTITUDE_NOTE)
  return [longitude, latitude]
}

function pathOf(given: unknown, remarks: Remarks): LonLat[] | Fault {
  if (!Array.isArray(given)) return badGeometry()
  const path: LonLat[] = []
  for (const each of given) {
    const position = positionOf(each, remarks)
    if ('reason' in position) return position
    path.push(position)
  }
  return path
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
  return fault('no_geometry', `there is no geometry; a ${expected} is needed`)
}

function unsupported(type: unknown, expected: string): Fault {
  const kind = IMPORT_OF[String(type)]
  const advice = kind === undefined ? '' : `; 'import ${kind}' takes it`
  return fault('unsupported_geometry', `${expected}, not a ${String(type)}${advice}`)
}

/** The import that takes a type of geometry. */
const IMPORT_OF: Readonly<Record<string, string>> = {
  Polygon: 'geofences',
  LineString: 'routes',
  MultiLineString: 'routes',
  Point: 'sites',
}

function badGeometry(): Fault {
  return fault('bad_geometry', 'the coordinates are not those of such a geometry')
}
