import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LonLat } from '../../packages/server/src/base/domain/places/place.ts'
import { geofences, routes } from './fleet.ts'
import { SITES } from './places.ts'

test('places have unique names', () => {
  for (const list of [geofences(), routes(), SITES]) {
    assert.equal(new Set(list.map(({ name }) => name)).size, list.length)
  }
})

test('geofences are closed rings that do not cross themselves', () => {
  for (const { name, color, coordinates } of geofences()) {
    assert.match(color!, /^#[0-9a-f]{6}$/)
    assert.deepEqual(coordinates[0], coordinates.at(-1), name)
    const sides = coordinates.slice(1).map((to, i) => [coordinates[i]!, to] as const)
    sides.forEach((side, i) => {
      sides.slice(i + 1).forEach((other) => {
        assert.ok(!crosses(side, other), name)
      })
    })
  }
})

test('routes pass their waypoints in order', () => {
  for (const { name, color, deviation, points, coordinates } of routes()) {
    assert.match(color!, /^#[0-9a-f]{6}$/)
    assert.ok(deviation! > 0)
    assert.deepEqual(
      points.map(({ order }) => order),
      points.map((_, i) => i + 1),
    )
    assert.equal(coordinates.length, points.length - 1, name)
    coordinates.forEach((line, i) => {
      assert.deepEqual(line[0], points[i]!.location)
      assert.deepEqual(line.at(-1), points[i + 1]!.location)
    })
  }
})

type Side = readonly [LonLat, LonLat]

/** Whether two sides cross except at their ends. */
function crosses([a, b]: Side, [c, d]: Side): boolean {
  const turn = (p: LonLat, q: LonLat, r: LonLat) =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))
  return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0
}
