import type { MultiLineString, MultiPolygon, Polygon, Position } from 'geojson'

/**
 * Natural Earth's shapes lie on a sphere. A ring across the antimeridian jumps from 180 to −180 degrees,
 * and a ring around a pole does not close. A flat map would draw both straight across the world. Here
 * longitudes continue beyond 180, which the map cuts and wraps, and a ring around a pole runs along the
 * map's edge.
 */
export function flattened(geometry: Polygon | MultiPolygon): MultiPolygon {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  return { type: 'MultiPolygon', coordinates: polygons.map((rings) => rings.map(flatRing)) }
}

/** Lines are cut where they jump. */
export function cutLines({ coordinates }: MultiLineString): MultiLineString {
  return { type: 'MultiLineString', coordinates: coordinates.flatMap(cutLine) }
}

function flatRing(ring: Position[]): Position[] {
  const flat: Position[] = []
  let turned = 0
  let before: number | undefined
  for (const [longitude, latitude] of ring as [number, number][]) {
    if (before !== undefined && longitude - before > 180) turned -= 360
    if (before !== undefined && longitude - before < -180) turned += 360
    before = longitude
    flat.push([longitude + turned, latitude])
  }
  if (turned === 0) return flat
  const first = flat[0]!
  const last = flat.at(-1)!
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
