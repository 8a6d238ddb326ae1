import type { MultiLineString, MultiPolygon, Polygon, Position } from 'geojson'

/**
 * Shapes lie on a sphere. A ring across the antimeridian jumps from 180 to −180 degrees,
 * and a ring around a pole does not close. A flat map would draw both straight across the world. Here
 * longitudes continue beyond 180, which the map cuts and wraps, and a ring around a pole runs along the
 * map's edge.
 */
export function flattened(geometry: Polygon | MultiPolygon): MultiPolygon {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  return { type: 'MultiPolygon', coordinates: polygons.map((rings) => rings.map(flatRing)) }
}

/** The path with longitudes that continue beyond 180 where it crosses the antimeridian. */
export function continued<Place extends Position>(path: readonly Place[]): Place[] {
  let turned = 0
  return path.map((place, at) => {
    const [longitude, latitude, ...others] = place
    const step = at === 0 ? 0 : longitude! - path[at - 1]![0]!
    if (Math.abs(step) > 180) turned -= Math.sign(step) * 360
    return turned === 0 ? place : ([longitude! + turned, latitude, ...others] as Place)
  })
}

/** Lines are cut where they jump. */
export function cutLines({ coordinates }: MultiLineString): MultiLineString {
  return { type: 'MultiLineString', coordinates: coordinates.flatMap(cutLine) }
}

function flatRing(ring: Position[]): Position[] {
  const flat = continued(ring)
  const first = flat[0]!
  const last = flat.at(-1)!
  if (first[0] === last[0]) return flat
  const pole = last[1]! < 0 ? -90 : 90
  return [...flat, [last[0]!, pole], [first[0]!, pole], first]
}

function cutLine(line: Position[]): Position[][] {
  const parts: Position[][] = [[]]
  for (const [at, position] of line.entries()) {
    const before = line[at - 1]
    if (before !== undefined && Math.abs(position[0]! - before[0]!) > 180) parts.push([])
    parts.at(-1)!.push(position)
  }
  return parts.filter(({ length }) => length > 1)
}
