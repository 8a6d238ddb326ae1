import type { LonLat } from './place.ts'

type Segment = { from: LonLat; to: LonLat; west: number; east: number }

/**
 * Comparisons for each vertex. Boundaries of countries need fewer than a hundred. The limit bounds the time for
 * a ring that was made to take long; such a ring counts as free of crossings.
 */
const COMPARISONS = 1_000

/**
 * A point where two edges of a ring cross, or null. Edges that only touch do not cross. The ring may be open or
 * closed, and may lie across the antimeridian.
 */
export function crossingOf(ring: readonly LonLat[]): LonLat | null {
  const segments = segmentsOf(ring).sort((a, b) => a.west - b.west)
  let left = ring.length * COMPARISONS
  let open: Segment[] = []
  for (const segment of segments) {
    open = open.filter(({ east }) => east >= segment.west)
    for (const other of open) {
      const crossing = crossingOfTwo(segment, other)
      if (crossing !== null) return [normal(crossing[0]), crossing[1]]
    }
    left -= open.length
    if (left < 0) return null
    open.push(segment)
  }
  return null
}

/** The edges. Longitudes go on beyond 180 where the ring crosses the antimeridian. */
function segmentsOf(ring: readonly LonLat[]): Segment[] {
  const path: LonLat[] = []
  for (const [longitude, latitude] of [...ring, ring[0]!]) {
    const before = path.at(-1)?.[0] ?? longitude
    path.push([longitude - 360 * Math.round((longitude - before) / 360), latitude])
  }
  return path.slice(1).map((to, index) => {
    const from = path[index]!
    return { from, to, west: Math.min(from[0], to[0]), east: Math.max(from[0], to[0]) }
  })
}

/** The point where two segments cross inside both, or null. */
function crossingOfTwo(a: Segment, b: Segment): LonLat | null {
  const fromB = sideOf(a, b.from)
  const toB = sideOf(a, b.to)
  if (fromB * toB >= 0 || sideOf(b, a.from) * sideOf(b, a.to) >= 0) return null
  const share = fromB / (fromB - toB)
  return [b.from[0] + share * (b.to[0] - b.from[0]), b.from[1] + share * (b.to[1] - b.from[1])]
}

/** Positive: the point lies left of the segment. 0: on its line. */
function sideOf({ from, to }: Segment, [x, y]: LonLat): number {
  return (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
}

function normal(longitude: number): number {
  return longitude - 360 * Math.round(longitude / 360)
}
