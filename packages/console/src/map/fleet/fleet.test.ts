/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latitudeAt, longitudeAt } from '../base/mercator.ts'
import type { LiveObject } from '../base/motion.ts'
import { createFleet, drawnAt, place, remove } from './fleet.ts'
import { GLIDE_MS } from './glide.ts'
import { pack } from './packed.ts'
import { createPending, takeSlice } from './pending.ts'
import { seenOf } from './seen.ts'

function object(
  id: number,
  longitude: number,
  latitude: number,
  motion: LiveObject[5],
): LiveObject {
  return [id, longitude, latitude, 90, 50, motion, 1_000]
}

test('objects are found at their positions, even after the buffer has grown', () => {
  const fleet = createFleet(2)
  const items = [1, 2, 3, 4, 5].map((id) => object(id, id, 10 + id, 'moving'))
  place(fleet, pack(items), 0, 5, 0, false)
  assert.equal(fleet.size, 5)
  const row = fleet.rowOf.get(4)!
  assert.ok(Math.abs(longitudeAt(fleet.x[row]!) - 4) < 1e-9)
  assert.ok(Math.abs(latitudeAt(fleet.y[row]!) - 14) < 1e-9)
})

test('an object is seen as its newest position has it, until it is removed', () => {
  const fleet = createFleet()
  place(fleet, pack([object(1, 0, 0, 'moving'), object(2, 0, 0, 'idle')]), 0, 2, 0, false)
  place(fleet, pack([object(1, 0, 0, 'no_signal'), object(3, 0, 0, null)]), 0, 2, 0, false)
  const motions = () => [1, 2, 3].map((id) => seenOf(fleet, id)?.motion)
  assert.deepEqual(motions(), ['no_signal', 'idle', 'unknown'])
  remove(fleet, 1)
  assert.deepEqual(motions(), [undefined, 'idle', 'unknown'])
  assert.equal(fleet.ids[fleet.rowOf.get(3)!], 3)
  assert.equal(fleet.size, 2)
})

test('positions on the graphics card are exact to a millimeter', () => {
  const fleet = createFleet()
  place(fleet, pack([object(1, 28.987654321, 41.012345678, 'moving')]), 0, 1, 0, false)
  const [highX, highY, lowX, lowY] = fleet.drawn as unknown as [number, number, number, number]
  assert.ok(Math.abs(highX + lowX - fleet.x[0]!) * 40_075_017 < 0.001)
  assert.ok(Math.abs(highY + lowY - fleet.y[0]!) * 40_075_017 < 0.001)
})

test('an object glides to its new position, and a new path starts where it is drawn', () => {
  const fleet = createFleet()
  place(fleet, pack([object(1, 0, 0, 'moving')]), 0, 1, 0, true)
  place(fleet, pack([object(1, 0.001, 0, 'moving')]), 0, 1, 100, true)
  const longitude = (now: number) => longitudeAt(drawnAt(fleet, 0, now)[0])
  assert.ok(Math.abs(longitude(100)) < 1e-7)
  assert.ok(Math.abs(longitude(100 + GLIDE_MS / 2) - 0.0005) < 1e-7)
  place(fleet, pack([object(1, 0.002, 0, 'moving')]), 0, 1, 100 + GLIDE_MS / 2, true)
  assert.ok(Math.abs(longitude(100 + GLIDE_MS / 2) - 0.0005) < 1e-7)
  assert.ok(Math.abs(longitude(100 + 2 * GLIDE_MS) - 0.002) < 1e-7)
})

test('an object jumps over a large distance without gliding', () => {
  const fleet = createFleet()
  place(fleet, pack([object(1, 0, 0, 'moving')]), 0, 1, 0, true)
  place(fleet, pack([object(1, 5, 0, 'moving')]), 0, 1, 100, true)
  assert.ok(Math.abs(longitudeAt(drawnAt(fleet, 0, 100)[0]) - 5) < 1e-9)
})

test('a large batch is applied in slices, and a complete one removes missing objects', () => {
  const fleet = createFleet()
  place(fleet, pack([object(99, 0, 0, 'moving')]), 0, 1, 0, false)
  const pending = createPending()
  const items = [1, 2, 3, 4, 5].map((id) => object(id, 0, 0, 'moving'))
  pending.batches.push({ packed: pack(items), all: true }, { gone: [2] })
  assert.equal(takeSlice(pending, fleet, 0, false, 3), true)
  assert.deepEqual([...fleet.rowOf.keys()].sort(), [1, 2, 3, 99])
  assert.equal(takeSlice(pending, fleet, 0, false, 3), false)
  assert.deepEqual([...fleet.rowOf.keys()].sort(), [1, 3, 4, 5])
})
