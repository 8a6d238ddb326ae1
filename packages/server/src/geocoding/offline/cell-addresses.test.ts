import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openCellWalk } from './cell-addresses.ts'
import { describePlace } from './describe-place.ts'
import { readGeoNames } from './geonames.ts'
import { openPlaceIndex, type PlaceIndex, packPlaces } from './place-index.ts'

const world = openPlaceIndex(packPlaces(readGeoNames()))

const anywhere = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})
/** Also with dense and with distant places, on both sides of the antimeridian, and at a pole. */
const start = fc.oneof(
  anywhere,
  fc.constantFrom(
    { latitude: 41.39, longitude: 2.16 },
    { latitude: 35, longitude: -110 },
    { latitude: -16.8, longitude: 179.99 },
    { latitude: 89.99, longitude: 10 },
  ),
)
/** The length of each step in degrees, and its direction. */
const steps = fc.array(
  fc.tuple(
    fc.constantFrom(0, 1e-5, 1e-4, 1e-3, 1e-2, 0.3),
    fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
  ),
  { minLength: 1, maxLength: 200 },
)

describe('Addresses of consecutive positions', () => {
  it('equal those of each position alone, in any order and number', () => {
    const addressAt = openCellWalk(world, 'en')
    fc.assert(
      fc.property(start, steps, ({ latitude, longitude }, way) => {
        let [north, east] = [latitude, longitude]
        for (const [length, direction] of way) {
          north = Math.max(-90, Math.min(90, north + length * Math.cos(direction)))
          east = ((east + length * Math.sin(direction) + 540) % 360) - 180
          const alone = openCellWalk(world, 'en')
          assert.deepEqual(addressAt(north, east), alone(north, east), `${north}, ${east}`)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('are those of a place at most 150 m away', () => {
    fc.assert(
      fc.property(start, ({ latitude, longitude }) => {
        const asked: [number, number][] = []
        const recorded: PlaceIndex = (...position) => {
          asked.push([position[0], position[1]])
          return world(...position)
        }
        const address = openCellWalk(recorded, 'de')(latitude, longitude) ?? null
        const [[north, east]] = asked as [[number, number]]
        const metres = Math.hypot(
          (north - latitude) * 111_195,
          (east - longitude) * 111_195 * Math.cos((latitude * Math.PI) / 180),
        )
        assert.ok(metres < 150, `${metres} m`)
        const near = world(north, east, 100)
        assert.equal(address, near && describePlace(near, north, east, 'de'))
      }),
      { numRuns: 300 },
    )
  })

  it('are searched for once in a cell of 200 m, even without a result', () => {
    let searches = 0
    const counted: PlaceIndex = (...asked) => {
      searches += 1
      return world(...asked)
    }
    const addressAt = openCellWalk(counted, 'en')
    for (let time = 0; time < 2; time += 1) {
      // 10 km through a city, a position every 10 m, and then somewhere at sea.
      for (let i = 0; i < 1_000; i += 1) addressAt(41.36 + i * 9e-5, 2.1)
      for (let i = 0; i < 10; i += 1) addressAt(0, -30)
      assert.ok(searches >= 50 && searches <= 53, `${searches} searches`)
    }
  })

  it('are cached in limited number', () => {
    let searches = 0
    const addressAt = openCellWalk(() => {
      searches += 1
      return null
    }, 'en')
    for (let i = 0; i < 20_001; i += 1) addressAt(0, i / 500)
    addressAt(0, 0)
    assert.equal(searches, 20_002, 'the first was forgotten')
  })
})
