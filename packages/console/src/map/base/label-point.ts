import type { MultiPolygon, Polygon, Position } from 'geojson'

/**
 * Where a country's name is drawn: the middle of its largest part. Also the size of that part, in square
 * degrees at the equator.
 */
export function labelPoint(geometry: Polygon | MultiPolygon): {
  at: [number, number]
  area: number
} {
  const rings =
    geometry.type === 'Polygon'
      ? [geometry.coordinates[0]!]
      : geometry.coordinates.map((polygon) => polygon[0]!)
  return rings
    .map((ring) => middleOf(ring))
    .reduce((largest, part) => (part.area > largest.area ? part : largest))
}

/** Centroid of a ring, by the shoelace formula. */
function middleOf(ring: Position[]): { at: [number, number]; area: number } {
  let twice = 0
  let x = 0
  let y = 0
  for (let at = 0; at < ring.length - 1; at++) {
    const [x1, y1] = ring[at] as [number, number]
    const [x2, y2] = ring[at + 1] as [number, number]
    const cross = x1 * y2 - x2 * y1
    twice += cross
    x += (x1 + x2) * cross
    y += (y1 + y2) * cross
  }
  if (twice === 0) return { at: ring[0]!.slice(0, 2) as [number, number], area: 0 }
  const at: [number, number] = [x / (3 * twice), y / (3 * twice)]
  return { at, area: (Math.abs(twice) / 2) * Math.cos((at[1] * Math.PI) / 180) }
}
