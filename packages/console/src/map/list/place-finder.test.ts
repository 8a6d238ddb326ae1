/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeFinder, whereText } from './place-finder.ts'

const SQUARE: [number, number][] = [
  [2, 41],
  [3, 41],
  [3, 42],
  [2, 42],
]

test('a point is named after the site it is in, else after the geofence', () => {
  const find = placeFinder({
    geofences: [{ name: 'City', color: null, coordinates: SQUARE }],
    sites: [
      { name: 'Depot', longitude: 2.5, latitude: 41.5, radius: 200 },
      { name: 'A point', longitude: 2.1, latitude: 41.1, radius: null },
    ],
  })
  assert.equal(find(2.501, 41.5), 'Depot')
  assert.equal(find(2.51, 41.5), 'City')
  assert.equal(find(2.1, 41.1), 'City')
  assert.equal(find(4, 41.5), undefined)
})

test('a geofence across the antimeridian has points on both sides', () => {
  const coordinates: [number, number][] = [
    [179, -17],
    [-179, -17],
    [-179, -16],
    [179, -16],
  ]
  const find = placeFinder({ geofences: [{ name: 'Taveuni', color: null, coordinates }] })
  assert.deepEqual(
    [179.9, -179.9, 178.9].map((x) => find(x, -16.5)),
    ['Taveuni', 'Taveuni', undefined],
  )
})

test('an address says where a vehicle is until it is 150 m away', () => {
  const known = { address: '1 Main Street', longitude: 2, latitude: 41 }
  assert.equal(
    whereText(2.0017, 41, known, () => 'Depot'),
    '1 Main Street',
  )
  assert.equal(
    whereText(2.0019, 41, known, () => 'Depot'),
    'Depot',
  )
})
