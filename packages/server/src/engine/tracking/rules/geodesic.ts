/** The WGS 84 ellipsoid: NIMA TR8350.2. */
export const EQUATORIAL_RADIUS_M = 6_378_137
export const FLATTENING = 1 / 298.257223563
const HALF_DEGREE = Math.PI / 360

/**
 * Meters along the ellipsoid between two points in degrees, by H. Andoyer's formula (Annuaire du
 * Bureau des Longitudes pour 1950, p. 145; J. Meeus, Astronomical Algorithms, 2nd ed., chapter 11).
 * Its relative error is of the order of the square of the flattening: within 0.013 mm a meter up to
 * 18,000 km, and within 0.17 % for points opposite each other on the globe.
 */
export function distanceMetres(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
): number {
  const f = (latitude1 + latitude2) * HALF_DEGREE
  const sinG = Math.sin((latitude1 - latitude2) * HALF_DEGREE)
  const sinLambda = Math.sin((longitude1 - longitude2) * HALF_DEGREE)
  const sin2F = Math.sin(f) ** 2
  // Not 1 - sin2F, which would lose all digits next to a pole.
  const cos2F = Math.cos(f) ** 2
  const sin2G = sinG * sinG
  const cos2G = 1 - sin2G
  const sin2Lambda = sinLambda * sinLambda
  const cos2Lambda = 1 - sin2Lambda
  const s = sin2G * cos2Lambda + cos2F * sin2Lambda
  if (s === 0) return 0
  const c = cos2G * cos2Lambda + sin2F * sin2Lambda
  if (c === 0) return Math.PI * EQUATORIAL_RADIUS_M * (1 - FLATTENING / 2)
  const omega = Math.atan(Math.sqrt(s / c))
  const r = Math.sqrt(s * c) / omega
  const correction1 = ((3 * r - 1) / 2) * ((sin2F * cos2G) / c)
  const correction2 = ((3 * r + 1) / 2) * ((cos2F * sin2G) / s)
  const sphere = 2 * omega * EQUATORIAL_RADIUS_M
  return sphere * (1 + FLATTENING * (correction1 - correction2))
}
