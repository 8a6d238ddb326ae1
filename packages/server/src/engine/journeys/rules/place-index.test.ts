import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { degrees } from '../../../../testing/any-fix.ts'
import type { LonLat } from '../../../base/domain/places/place.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { mayMeet, placeIndex } from './place-index.ts'
import { circleZone, ringZone } from './zone.ts'

const geofence = (id: number, ...coordinates: LonLat[]) => ({ id, coordinates })
const site = (id: number, latitude: number, longitude: number, radius: number | null) => ({
  id,
  latitude,
  longitude,
  radius,
})
const rectangle = (west: number, south: number, east: number, north: number): LonLat[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
]

it('refuses a ring with a vertex that is not a position', () => {
  for (const vertex of [
    [Number.NaN, 1],
    [1, Number.POSITIVE_INFINITY],
  ] as LonLat[]) {
    const coordinates = [...rectangle(0, 0, 1, 1), vertex]
    assert.throws(() => ringZone({ coordinates }), RangeError)
  }
})

type Geofences = Parameters<typeof placeIndex>[0]
type Sites = Parameters<typeof placeIndex>[1]

/** The places at a point, as g1 or s1. */
function at(geofences: Geofences, sites: Sites, latitude: number, longitude: number): string {
  return placeIndex(geofences, sites)
    .at(latitude, longitude)
    .map(({ placeType, place }) => `${placeType[0]}${place}`)
    .join(' ')
}

describe('An index of places', () => {
  it('finds overlapping places, geofences first, each by id', () => {
    const geofences = [
      geofence(9, ...rectangle(0, 0, 2, 2)),
      geofence(2, ...rectangle(1, 1, 3, 3)),
      geofence(3, ...rectangle(5, 5, 6, 6)),
    ]
    const sites = [site(1, 1.5, 1.5, 10), site(4, 1.5, 1.5, null), site(5, 1.5, 1.6, 20_000)]
    assert.equal(at(geofences, sites, 1.5, 1.5), 'g2 g9 s1 s5')
    assert.equal(at(geofences, sites, 4, 4), '')
    assert.equal(at([], [], 4, 4), '')
  })

  it('includes the border of a geofence, and of a site', () => {
    const ring = [geofence(1, ...rectangle(0, 0, 2, 2))]
    for (const [latitude, longitude] of [
      [0, 1],
      [2, 2],
      [1, 0],
    ] as const) {
      assert.equal(at(ring, [], latitude, longitude), 'g1')
    }
    assert.equal(at(ring, [], 1, 2.0000001), '')
    const radius = distanceMetres(50, 8, 50, 8.01)
    assert.equal(at([], [site(1, 50, 8, radius)], 50, 8.01), 's1')
    assert.equal(at([], [site(1, 50, 8, radius)], 50, 8.0100001), '')
    assert.equal(at([], [site(1, 50, 8, 0)], 50, 8), 's1')
  })

  it('tells a hollow of a ring, open or closed, in either direction', () => {
    const bay: LonLat[] = [
      [0, 0],
      [4, 0],
      [4, 4],
      [2, 1],
      [0, 4],
    ]
    for (const ring of [bay, [...bay].reverse(), [...bay, bay[0]!]]) {
      assert.equal(at([geofence(1, ...ring)], [], 3, 2), '')
      assert.equal(at([geofence(1, ...ring)], [], 0.5, 2), 'g1')
      assert.equal(at([geofence(1, ...ring)], [], 3, 0.1), 'g1')
    }
  })

  it('knows rings across the antimeridian from either side', () => {
    for (const ring of [rectangle(170, -10, -170, 10), rectangle(-190 + 360, -10, -170, 10)]) {
      for (const longitude of [171, 180, -180, -171]) {
        assert.equal(at([geofence(1, ...ring)], [], 0, longitude), 'g1', `${longitude}`)
      }
      for (const longitude of [169, 0, -169]) {
        assert.equal(at([geofence(1, ...ring)], [], 0, longitude), '')
      }
    }
  })

  it('knows a ring that ends at the antimeridian from both names of that meridian', () => {
    const ring = geofence(1, ...rectangle(-180, -10, -170, 10))
    for (const longitude of [180, -180]) assert.equal(at([ring], [], 0, longitude), 'g1')
  })

  it('knows rings around the poles', () => {
    const around = (latitude: number): LonLat[] =>
      [-180, -90, 0, 90].map((longitude): LonLat => [longitude, latitude])
    for (const ring of [around(-60), around(-60).reverse()]) {
      assert.equal(at([geofence(1, ...ring)], [], -90, 33), 'g1')
      assert.equal(at([geofence(1, ...ring)], [], -61, 179.9), 'g1')
      assert.equal(at([geofence(1, ...ring)], [], -59, 179.9), '')
    }
    assert.equal(at([geofence(1, ...around(80))], [], 85, -123), 'g1')
    const cut: LonLat[] = [...around(-60), [180, -60], [180, -90], [-180, -90]]
    assert.equal(at([geofence(1, ...cut)], [], -75, 10), 'g1')
    assert.equal(at([geofence(1, ...cut)], [], -59, 10), '')
  })

  it('finds every point within the radius of a site, anywhere on the globe', () => {
    const radius = fc.oneof(
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 20_037_508 }),
    )
    const nearPole = fc.constantFrom(-90, -89.99, 89.999, 90, 0)
    const latitude = fc.oneof(degrees(90), nearPole)
    const longitude = fc.oneof(degrees(180), fc.constantFrom(-180, 179.999, 180))
    const near = fc.record({ north: degrees(0.05), east: degrees(0.05) })
    fc.assert(
      fc.property(
        latitude,
        longitude,
        radius,
        near,
        fc.boolean(),
        latitude,
        longitude,
        (lat, lon, metres, { north, east }, isNear, otherLat, otherLon) => {
          const to = isNear ? Math.max(-90, Math.min(90, lat + north)) : otherLat
          const toLon = isNear ? wrapped(lon + east) : otherLon
          const isInside = distanceMetres(lat, lon, to, toLon) <= metres
          const place = site(1, lat, lon, metres)
          assert.equal(at([], [place], to, toLon), isInside ? 's1' : '')
          const box = { west: toLon, east: toLon, south: to, north: to }
          if (isInside) assert.ok(mayMeet(box, circleZone(place)!))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('finds the same places as a test of each, wherever the point before was', () => {
    const anyRectangle = fc.tuple(degrees(180), degrees(80), fc.constantFrom(0.001, 0.02, 30, 170))
    const anyPoint = fc.tuple(fc.integer({ min: 0, max: 7 }), degrees(0.03), degrees(0.03))
    fc.assert(
      fc.property(
        fc.array(anyRectangle, { minLength: 1, maxLength: 8 }),
        fc.array(anyPoint),
        (all, points) => {
          const rings = all.map(([west, south, size], index) =>
            geofence(
              index + 1,
              ...rectangle(west, south, wrapped(west + size), Math.min(90, south + size)),
            ),
          )
          const index = placeIndex(rings, [])
          for (const [which, north, east] of points) {
            const [west, south] = all[which % all.length]!
            const [latitude, longitude] = [south + north, wrapped(west + east)]
            const expected = all.flatMap(([left, bottom, size], at) => {
              const aside = (((longitude - left) % 360) + 360) % 360
              const isInside =
                aside <= size && latitude >= bottom && latitude <= Math.min(90, bottom + size)
              // The rounding of degrees around the globe decides on the border.
              return isInside && aside > 1e-9 && Math.abs(aside - size) > 1e-9 ? [at + 1] : []
            })
            const found = index.at(latitude, longitude).map(({ place }) => place)
            for (const place of expected) assert.ok(found.includes(place))
            for (const place of found) {
              const [left] = all[place - 1]!
              assert.ok(expected.includes(place) || isOnBorder(longitude, left, all[place - 1]![2]))
              const box = { west: longitude, east: longitude, south: latitude, north: latitude }
              assert.ok(mayMeet(box, ringZone(rings[place - 1]!)))
            }
          }
        },
      ),
    )
  })
})

function wrapped(longitude: number): number {
  return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
}

function isOnBorder(longitude: number, west: number, size: number): boolean {
  const aside = (((longitude - west) % 360) + 360) % 360
  return aside < 1e-9 || aside > 360 - 1e-9 || Math.abs(aside - size) < 1e-9
}
