import { COORDINATE_SCALE } from '../../domain/position/fix-record.ts'
import { EQUATORIAL_RADIUS_M, FLATTENING } from '../../tracking/rules/geodesic.ts'

/*
 * Only + − × ÷ and √, which give the same bits on every machine: `Math.sin` of the next Node.js may differ, and a block
 * would then read as other numbers.
 */

const RADIANS = Math.PI / 180 / COORDINATE_SCALE
const SQUARE_ECCENTRICITY = FLATTENING * (2 - FLATTENING)
const RADIUS_MM = EQUATORIAL_RADIUS_M * 1_000

/**
 * Millimetres between two points of whole numbers of `1 / COORDINATE_SCALE` degrees, as on a plane that touches the
 * ellipsoid halfway between them. Some millionths off over a kilometre, and some percent over a thousand.
 */
export function travelledMm(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
): number {
  const north = latitude2 - latitude1
  const east = longitude2 - longitude1
  if (north === 0 && east === 0) return 0
  const cosine = cosineOf(((latitude1 + latitude2) / 2) * RADIANS)
  const flatness = 1 - SQUARE_ECCENTRICITY * (1 - cosine * cosine)
  const across = RADIUS_MM / Math.sqrt(flatness)
  const along = (across * (1 - SQUARE_ECCENTRICITY)) / flatness
  const x = east * RADIANS * cosine * across
  const y = north * RADIANS * along
  return Math.round(Math.sqrt(x * x + y * y))
}

/** The first terms of the series around 0. For -π/2 to π/2, within 1e-9. */
function cosineOf(angle: number): number {
  const square = angle * angle
  let sum = 1
  for (let term = 12; term > 0; term -= 2) sum = 1 - (square / (term * (term - 1))) * sum
  return sum
}
