import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cellOf, openAddressCache } from './address-cache.ts'

const [A, B, C] = ['first', 'second', 'third'] as const

describe('The address cache', () => {
  it('evicts the least recently used address', () => {
    const cache = openAddressCache(2)
    cache.set('a', A)
    cache.set('b', null)
    assert.equal(cache.get('a'), A)
    cache.set('c', C)
    assert.equal(cache.get('b'), undefined)
    assert.equal(cache.get('a'), A)
    assert.equal(cache.get('c'), C)
  })

  it('stores that a place has no address', () => {
    const cache = openAddressCache(2)
    cache.set('a', null)
    cache.set('b', B)
    assert.equal(cache.get('a'), null)
    cache.set('c', C)
    assert.equal(cache.get('a'), null, 'it was used after b')
    assert.equal(cache.get('b'), undefined)
  })
})

describe('A cell', () => {
  it('never contains two positions farther apart than its diagonal', () => {
    const latitude = fc.double({ min: -89, max: 89, noNaN: true })
    const longitude = fc.double({ min: -179, max: 179, noNaN: true })
    const metres = fc.double({ min: -200, max: 200, noNaN: true })
    fc.assert(
      fc.property(latitude, longitude, metres, metres, (atLatitude, atLongitude, north, east) => {
        const there = atLatitude + north / 111_195
        const narrowing = Math.cos((there * Math.PI) / 180)
        const away = atLongitude + east / 111_195 / narrowing
        if (cellOf(atLatitude, atLongitude, 'en') === cellOf(there, away, 'en')) {
          assert.ok(Math.hypot(north, east) < 75)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('contains positions close to each other', () => {
    assert.equal(cellOf(41.39, 2.16, 'en'), cellOf(41.39001, 2.16001, 'en'))
    assert.notEqual(cellOf(41.39, 2.16, 'en'), cellOf(41.39, 2.16, 'de'))
  })
})
