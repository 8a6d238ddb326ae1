import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import geographicLib from 'geographiclib-geodesic'
import { distanceMetres } from './geodesic.ts'

const WGS84 = geographicLib.Geodesic.WGS84

/** The relative error of the formula, up to `WELL_BEHAVED` and beyond. */
const ERROR = 1.3e-5
const WELL_BEHAVED = 18_000_000
const ERROR_ANTIPODAL = 1.7e-3

type Line = [latitude1: number, longitude1: number, latitude2: number, longitude2: number]

describe('The distance on the ellipsoid', () => {
  it('equals that of Meeus from Paris to Washington, 6181.63 km', () => {
    // Astronomical Algorithms, 2nd ed., example 11.c, by the same formula: equal to the last digit.
    const paris = [degrees(48, 50, 11), degrees(2, 20, 14)] as const
    const washington = [degrees(38, 55, 17), -degrees(77, 3, 56)] as const
    assert.equal((distanceMetres(...paris, ...washington) / 1_000).toFixed(2), '6181.63')
  })

  it('matches the dimensions of the ellipsoid', () => {
    // The quarter meridian and a degree of the equator: NIMA TR8350.2, derived constants.
    assertNear(distanceMetres(0, 10, 90, 10), 10_001_965.729, ERROR)
    assertNear(distanceMetres(0, 10, 0, 11), (Math.PI * 6_378_137) / 180, 1e-9)
    assert.equal(distanceMetres(0, 0, 0, 180), distanceMetres(0, -90, 0, 90))
    assertNear(distanceMetres(90, 0, -90, 0), 2 * 10_001_965.729, ERROR)
  })

  it('is within 0.013 mm a meter of the geodesic, from a meter to half the globe', () => {
    fc.assert(
      fc.property(anyPoint, anyAzimuth, anyLength, ([latitude, longitude], azimuth, length) => {
        const { lat2, lon2 } = WGS84.Direct(latitude, longitude, azimuth, length)
        const line: Line = [latitude, longitude, lat2!, lon2!]
        assertNear(distanceMetres(...line), geodesic(line), ERROR)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is within 0.17 % even between nearly antipodal points', () => {
    const near = fc.double({ min: -3, max: 3, noNaN: true })
    const scale = fc.constantFrom(0, 1e-6, 1e-3, 0.1, 1)
    fc.assert(
      fc.property(anyPoint, near, near, scale, ([latitude, longitude], north, east, by) => {
        const opposite = Math.max(-90, Math.min(90, -latitude + north * by))
        const line: Line = [latitude, longitude, opposite, longitude + 180 + east * by]
        assertNear(distanceMetres(...line), geodesic(line), ERROR_ANTIPODAL)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is equal in both directions, and for longitudes with whole turns added', () => {
    fc.assert(
      fc.property(anyPoint, anyPoint, ([latitude1, longitude1], [latitude2, longitude2]) => {
        const metres = distanceMetres(latitude1, longitude1, latitude2, longitude2)
        assert.equal(distanceMetres(latitude2, longitude2, latitude1, longitude1), metres)
        const turned = distanceMetres(latitude1, longitude1 + 360, latitude2, longitude2)
        assert.ok(Math.abs(turned - metres) < 1e-6 + metres * ERROR_ANTIPODAL)
        assert.equal(distanceMetres(latitude1, longitude1, latitude1, longitude1), 0)
      }),
    )
  })

  it('takes the short way across the date line and beside a pole', () => {
    assertNear(distanceMetres(0, 179.9995, 0, -179.9995), 111.319, 1e-5)
    // One meter at a pole is 8.953e-6 degrees of latitude.
    assert.ok(distanceMetres(90, 0, 90, 123) < 1e-6)
    assertNear(distanceMetres(90 - 8.953e-6, 0, 90 - 8.953e-6, 180), 2, 1e-4)
  })
})

/** All over the globe, and often on the equator, near a pole, and at the date line. */
const anyPoint = fc.tuple(
  fc.oneof(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: 89.9999, max: 90, noNaN: true }),
    fc.double({ min: -90, max: -89.9999, noNaN: true }),
    fc.constantFrom(0, 90, -90),
  ),
  fc.oneof(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: 179.999, max: 180, noNaN: true }),
    fc.constantFrom(0, 180, -180),
  ),
)
const anyAzimuth = fc.double({ min: -180, max: 180, noNaN: true })
/** Meters, with each power of ten equally likely. */
const anyLength = fc
  .double({ min: 0, max: Math.log10(WELL_BEHAVED), noNaN: true })
  .map((exponent) => 10 ** exponent)

function geodesic([latitude1, longitude1, latitude2, longitude2]: Line): number {
  return WGS84.Inverse(latitude1, longitude1, latitude2, longitude2).s12!
}

function degrees(whole: number, minutes: number, seconds: number): number {
  return whole + minutes / 60 + seconds / 3_600
}

function assertNear(metres: number, expected: number, relative: number): void {
  const error = Math.abs(metres - expected) / expected
  assert.ok(error <= relative, `${metres} m, not ${expected} m: off by ${error}`)
}
