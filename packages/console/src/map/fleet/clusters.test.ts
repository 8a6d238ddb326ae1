/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longitudeAt, mercatorX, mercatorY, worldPx } from '../base/mercator.ts'
import type { LiveObject } from '../base/motion.ts'
import { pick } from '../layer/pick.ts'
import { ALL_SINGLE_ZOOM, cluster, clusterZoom, countLabel } from './clusters.ts'
import { createFleet, type Fleet, place } from './fleet.ts'
import { pack } from './packed.ts'

const ALL = 0b1111

function fleetOf(...items: [longitude: number, latitude: number, motion: LiveObject[5]][]): Fleet {
  const fleet = createFleet()
  const objects = items.map(
    ([longitude, latitude, motion], at): LiveObject => [
      at + 1,
      longitude,
      latitude,
      0,
      0,
      motion,
      0,
    ],
  )
  place(fleet, pack(objects), 0, objects.length, 0, false)
  return fleet
}

test('nearby objects form a cluster at their center; a single object remains itself', () => {
  const fleet = fleetOf([10, 50, 'moving'], [10.2, 50, 'idle'], [60, 20, 'moving'])
  const { size, count, byMotion, x, single } = cluster(fleet, 3, ALL, -1)
  assert.equal(size, 1)
  assert.equal(count[0], 2)
  assert.deepEqual([...byMotion.subarray(0, 5)], [1, 1, 0, 0, 0])
  assert.ok(Math.abs(longitudeAt(x[0]!) - 10.1) < 1e-9)
  assert.deepEqual([...single], [0, 0, 1])
})

test('no object is lost or counted twice, at any zoom', () => {
  const fleet = fleetOf(
    ...Array.from({ length: 3_000 }, (_, at): [number, number, 'moving'] => [
      (((at * 37) % 1000) / 1000) * 40 - 20,
      (((at * 91) % 997) / 997) * 40,
      'moving',
    ]),
  )
  for (let zoom = 0; zoom <= 12; zoom += 0.5) {
    const { size, count, single } = cluster(fleet, zoom, ALL, -1)
    const grouped = count.subarray(0, size).reduce((sum, each) => sum + each, 0)
    assert.equal(grouped + single.reduce((sum, each) => sum + each, 0), fleet.size, `zoom ${zoom}`)
  }
})

test('neighbors across the edge of a grid cell form one cluster', () => {
  const edge = longitudeAt(0.5)
  const fleet = fleetOf(
    [edge - 0.1, 10, 'moving'],
    [edge - 0.2, 10, 'moving'],
    [edge + 0.1, 10, 'moving'],
  )
  assert.equal(cluster(fleet, 2, ALL, -1).count[0], 3)
})

test('objects with a hidden motion are neither drawn nor counted', () => {
  const fleet = fleetOf([10, 50, 'moving'], [10.2, 50, 'idle'])
  const { size, single } = cluster(fleet, 3, 0b0001, -1)
  assert.equal(size, 0)
  assert.deepEqual([...single], [1, 0])
})

test('objects are drawn one by one from a zoom on, and the selected one at every zoom', () => {
  const fleet = fleetOf([10, 50, 'moving'], [10.00001, 50, 'moving'])
  assert.deepEqual([...cluster(fleet, ALL_SINGLE_ZOOM, ALL, -1).single], [1, 1])
  assert.deepEqual([...cluster(fleet, 3, ALL, 1).single], [0, 1])
  assert.equal(clusterZoom(15.3), ALL_SINGLE_ZOOM)
  assert.equal(clusterZoom(4.7), 4.5)
})

test('a pointer selects the nearest object within reach, or a cluster', () => {
  const fleet = fleetOf([10, 50, 'moving'], [10.001, 50, 'moving'])
  const near = cluster(fleet, 16, ALL, -1)
  const at = (longitude: number) =>
    pick(fleet, near, mercatorX(longitude), mercatorY(50), worldPx(16), 0)
  assert.deepEqual(at(10.0001), { row: 0 })
  assert.deepEqual(at(10.0009), { row: 1 })
  assert.equal(at(10.02), undefined)
  const far = cluster(fleet, 3, ALL, -1)
  assert.deepEqual(pick(fleet, far, mercatorX(10), mercatorY(50), worldPx(3), 0), { cluster: 0 })
})

test('counts fit into the circle', () => {
  assert.deepEqual([2, 999, 9_999, 10_000, 20_500, 2_000_000].map(countLabel), [
    '2',
    '999',
    '9999',
    '10k',
    '20k',
    '999k',
  ])
})
