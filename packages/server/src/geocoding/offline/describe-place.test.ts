import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../../domain/organization.ts'
import { describePlace } from './describe-place.ts'
import type { GazetteerPlace } from './place-index.ts'

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
