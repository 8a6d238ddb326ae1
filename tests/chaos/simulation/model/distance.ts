import { distanceMetres } from '../../../../packages/server/src/engine/tracking/rules/geodesic.ts'

/** The WGS 84 ellipsoid, meters. */
const EQUATORIAL_RADIUS = 6_378_137
const ECCENTRICITY_SQUARED = 0.00669437999014
const DEGREE = Math.PI / 180

type Place = { latitude: number; longitude: number }

/** Meters between places some kilometers apart: a plane with the ellipsoid's two radii of curvature there. */
export function flatDistance(a: Place, b: Place): number {
  const middle = ((a.latitude + b.latitude) / 2) * DEGREE
  const w = Math.sqrt(1 - ECCENTRICITY_SQUARED * Math.sin(middle) ** 2)
  const meridian = (EQUATORIAL_RADIUS * (1 - ECCENTRICITY_SQUARED)) / w ** 3
  const parallel = (EQUATORIAL_RADIUS / w) * Math.cos(middle)
  return Math.hypot(
    (a.latitude - b.latitude) * DEGREE * meridian,
    (a.longitude - b.longitude) * DEGREE * parallel,
  )
}

/**
 * Relative difference allowed between two right formulas: the server's is documented to be within 0.013 mm a
 * meter.
 */
const FORMULAS_DIFFER = 2e-5

/** Whether two places are at least this far apart. The server's formula decides close cases. */
export function reaches(a: Place, b: Place, metres: number): boolean {
  const flat = flatDistance(a, b)
  if (Math.abs(flat - metres) > flat * FORMULAS_DIFFER) return flat >= metres
  return distanceMetres(a.latitude, a.longitude, b.latitude, b.longitude) >= metres
}
