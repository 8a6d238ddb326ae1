import type { MultiLineString, MultiPolygon, Polygon, Position } from 'geojson'

/**
 * Natural Earth’s shapes lie on a sphere: a ring that crosses the antimeridian leaps from 180 to
 * −180 degrees, and one around a pole does not come back to where it began. On a flat map both
 * would be drawn straight across the world. Here longitudes go on beyond 180 instead, which the
 * map cuts and wraps, and a ring around a pole goes along its edge.
 */
export function flattened(geometry: Polygon | MultiPolygon): MultiPolygon {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  return { type: 'MultiPolygon', coordinates: polygons.map((rings) => rings.map(flatRing)) }
}

/** Lines are cut where they leap. */
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
