import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInside } from './bounding-box.ts'

test('a box includes its edges, and crosses the antimeridian if west is greater than east', () => {
  const box = { west: 10, south: 20, east: 30, north: 40 }
  for (const [latitude, longitude] of [
    [20, 10],
    [40, 30],
    [30, 20],
  ] as const) {
    assert.ok(isInside(box, latitude, longitude))
  }
  for (const [latitude, longitude] of [
    [19.9, 20],
    [40.1, 20],
    [30, 9.9],
    [30, 30.1],
  ] as const) {
    assert.ok(!isInside(box, latitude, longitude))
  }
  const pacific = { west: 170, south: -10, east: -170, north: 10 }
  for (const longitude of [170, 180, -180, -170]) assert.ok(isInside(pacific, 0, longitude))
  for (const longitude of [169.9, -169.9, 0]) assert.ok(!isInside(pacific, 0, longitude))
})

test('180 and -180 are one meridian', () => {
  const heights = { south: -10, north: 10 }
  for (const [west, east] of [
    [170, 180],
    [-180, -170],
    [180, -170],
    [170, -180],
    [180, 180],
    [-180, -180],
    [180, -180],
    [-180, 180],
  ] as const) {
    for (const longitude of [180, -180]) {
      assert.ok(isInside({ west, east, ...heights }, 0, longitude), `${west} to ${east}`)
    }
  }
  assert.ok(!isInside({ west: 170, east: 179.9, ...heights }, 0, -180))
  assert.ok(!isInside({ west: 180, east: -180, ...heights }, 0, 179.9))
})
