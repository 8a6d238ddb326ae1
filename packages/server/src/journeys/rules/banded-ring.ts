import pointInPolygon from 'point-in-polygon-hao'
import type { LonLat } from '../../domain/place.ts'

/** Rings with fewer edges are searched whole. */
const MIN_EDGES = 64
/** Edges of a band, if the ring winds evenly. */
const EDGES = 32
const MAX_BANDS = 4_096
/** All bands together have about so many edges for each one of the ring. */
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
 * A closed ring for each band. Between the edges that touch the band it has one edge instead of each run that lies
 * wholly above or below the band. A ray along the band meets neither, so it crosses the same edges as in the whole ring.
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
