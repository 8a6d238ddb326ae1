import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mercatorX, mercatorY } from '../base/mercator.ts'
import type { LiveObject } from '../base/motion.ts'
import { createFleet, place } from '../fleet/fleet.ts'
import { pack } from '../fleet/packed.ts'
import { labelFeatures, rowsToLabel } from './object-labels.ts'

const EVERY_MOTION = ~0
const BARCELONA = {
  west: mercatorX(2),
  north: mercatorY(42),
  east: mercatorX(3),
  south: mercatorY(41),
}

function fleetOf(...objects: LiveObject[]) {
  const fleet = createFleet()
  place(fleet, pack(objects), 0, objects.length, 0, false)
  return fleet
}

const van = (
  id: number,
  longitude: number,
  latitude: number,
  motion: LiveObject[5] = 'moving',
): LiveObject => [id, longitude, latitude, null, null, motion, 0]

test('objects in view are labeled, the selected one first', () => {
  const fleet = fleetOf(van(1, 2.1, 41.4), van(2, 9, 41.4), van(3, 2.2, 41.5))
  const rows = rowsToLabel(fleet, BARCELONA, { bits: EVERY_MOTION, selected: 3 })
  assert.deepEqual(rows, [2, 0])
})

test('objects whose motion is hidden are not labeled, unless one is selected', () => {
  const fleet = fleetOf(van(1, 2.1, 41.4), van(2, 2.2, 41.4, 'stopped'))
  assert.deepEqual(rowsToLabel(fleet, BARCELONA, { bits: 1, selected: undefined }), [0])
  assert.deepEqual(rowsToLabel(fleet, BARCELONA, { bits: 0, selected: 2 }), [1])
})

test('a view of thousands of objects has at most 100 labels', () => {
  const fleet = fleetOf(...Array.from({ length: 5_000 }, (_, id) => van(id + 1, 2.1, 41.4)))
  const rows = rowsToLabel(fleet, BARCELONA, { bits: EVERY_MOTION, selected: undefined })
  assert.equal(rows.length, 100)
})

const VAN_1 = {
  ...{ id: 1, name: 'Van 1', ident: '1', plate: null },
  ...{ address: null, longitude: null, latitude: null },
}

test('a label is where its object is, and an object without a known name has no label', () => {
  const fleet = fleetOf(van(1, 2.1, 41.4), van(2, 2.2, 41.4))
  const { features } = labelFeatures(
    fleet,
    [1, 0],
    { get: (id) => (id === 1 ? VAN_1 : undefined) },
    10_000,
  )
  assert.equal(features.length, 1)
  const [{ geometry, properties }] = features as [GeoJSON.Feature<GeoJSON.Point>]
  assert.deepEqual(properties, { name: 'Van 1', rank: 1 })
  assert.ok(Math.abs(geometry.coordinates[0]! - 2.1) < 1e-9)
  assert.ok(Math.abs(geometry.coordinates[1]! - 41.4) < 1e-9)
})
