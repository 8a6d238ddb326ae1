import { EQUATORIAL_RADIUS_M, FLATTENING } from '../../tracking/rules/geodesic.ts'

/*
 * Points on the ellipsoid as rectangular coordinates in metres, with the Earth's centre at 0. Straight distances
 * between them order places by nearness without regard to poles and the antimeridian. None is longer than the geodesic.
 */

export type EarthPoint = readonly [x: number, y: number, z: number]

const ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING)
const RADIANS = Math.PI / 180

/**
 * The point on the ellipsoid at a latitude and a longitude in degrees (NIMA TR8350.2, 4.4.1: the conversion of
 * geodetic to rectangular coordinates, at height 0).
 */
export function earthPoint(latitude: number, longitude: number): EarthPoint {
  const sine = Math.sin(latitude * RADIANS)
  const normal = EQUATORIAL_RADIUS_M / Math.sqrt(1 - ECCENTRICITY_SQUARED * sine * sine)
  const fromAxis = normal * Math.cos(latitude * RADIANS)
  return [
    fromAxis * Math.cos(longitude * RADIANS),
    fromAxis * Math.sin(longitude * RADIANS),
    normal * (1 - ECCENTRICITY_SQUARED) * sine,
  ]
}
