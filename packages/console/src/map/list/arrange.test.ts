import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveObject } from '../base/motion.ts'
import { createFleet, place } from '../fleet/fleet.ts'
import { pack } from '../fleet/packed.ts'
import { arrange, kept } from './arrange.ts'

const EVERY_MOTION = ~0

const van = (id: number, motion: LiveObject[5]): LiveObject => [id, 2.1, 41.4, null, 0, motion, 0]

function fleetOf(...objects: LiveObject[]) {
  const fleet = createFleet()
  place(fleet, pack(objects), 0, objects.length, 0, false)
  return fleet
}

const FLEET = fleetOf(van(1, 'stopped'), van(2, 'moving'), van(3, 'no_signal'), van(4, 'moving'))

test('vehicles that move come first, each group by name, and those without a position have no signal', () => {
  const byName = Float64Array.of(5, 4, 3, 2, 1)
  const { ids, counts } = arrange(FLEET, byName, EVERY_MOTION)
  assert.deepEqual([...ids], [4, 2, 1, 5, 3])
  assert.deepEqual(counts, [2, 0, 1, 2, 0])
})

test('only chosen motions are listed, and all are counted', () => {
  const { ids, counts } = arrange(FLEET, Float64Array.of(1, 2, 3, 4), 0b0100)
  assert.deepEqual([...ids], [1])
  assert.deepEqual(counts, [2, 0, 1, 1, 0])
})

test('before the first positions come, all are listed by name', () => {
  assert.deepEqual([...arrange(undefined, Float64Array.of(7, 3), EVERY_MOTION).ids], [7, 3])
})

test('a list that has not changed stays the same one', () => {
  const before = Float64Array.of(7, 3)
  assert.equal(kept(before, Float64Array.of(7, 3)), before)
  for (const next of [Float64Array.of(7), Float64Array.of(3, 7)])
    assert.equal(kept(before, next), next)
  assert.deepEqual([...kept(undefined, Float64Array.of(1))], [1])
})
