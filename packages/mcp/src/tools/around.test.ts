import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { boxAround, distanceKm } from './around.ts'

const anyPoint = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})
const anyRadius = fc.double({ min: 0.001, max: 200, noNaN: true })
/** The share of the radius, and the direction in radians. */
const anyWay = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
)

describe('Vehicles around a point', () => {
  it('have the distances of known cities', () => {
    const barcelona = { latitude: 41.3874, longitude: 2.1686 }
    const madrid = { latitude: 40.4168, longitude: -3.7038 }
    assert.ok(Math.abs(distanceKm(barcelona, madrid) - 505) < 2)
    const [fiji, samoa] = [
      { latitude: -17, longitude: 179.5 },
      { latitude: -17, longitude: -179.5 },
    ]
    assert.ok(Math.abs(distanceKm(fiji, samoa) - 106.3) < 0.5)
  })

  it('lie in the box of the radius, across the antimeridian and at the poles too', () => {
    fc.assert(
      fc.property(anyPoint, anyRadius, anyWay, (center, radius, [share, direction]) => {
        const point = reached(center, radius * share, direction)
        const { west, south, east, north } = boxAround(center, radius)
        assert.ok(point.latitude >= south - 1e-9 && point.latitude <= north + 1e-9)
        const { longitude } = point
        const isInside =
          west <= east
            ? longitude >= west - 1e-9 && longitude <= east + 1e-9
            : longitude >= west - 1e-9 || longitude <= east + 1e-9
        assert.ok(isInside, JSON.stringify({ center, radius, point, west, east }))
      }),
    )
  })
})

/** The point at a distance in a direction on the sphere. */
function reached(from: { latitude: number; longitude: number }, km: number, direction: number) {
  const angle = km / 6_371.0088
  const [latitude, longitude] = [from.latitude, from.longitude].map(
    (each) => (each * Math.PI) / 180,
  ) as [number, number]
  const sine =
    Math.sin(latitude) * Math.cos(angle) +
    Math.cos(latitude) * Math.sin(angle) * Math.cos(direction)
  const to = Math.asin(Math.max(-1, Math.min(1, sine)))
  const turn = Math.atan2(
    Math.sin(direction) * Math.sin(angle) * Math.cos(latitude),
    Math.cos(angle) - Math.sin(latitude) * sine,
  )
  const turned = ((longitude + turn) * 180) / Math.PI
  return {
    latitude: (to * 180) / Math.PI,
    longitude: turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned,
  }
}
