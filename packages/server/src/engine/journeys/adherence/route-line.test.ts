import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runAtOnce } from '../../../base/domain/common/steps.ts'
import type { LonLat } from '../../../base/domain/places/place.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { RouteLine } from './route-line.ts'

type Route = LonLat[][]

function lineOf(route: Route) {
  const line = runAtOnce(RouteLine.through(route))
  const near = { item: 0 }
  return {
    distanceFrom: (latitude: number, longitude: number) =>
      runAtOnce(line.distanceFrom(latitude, longitude, near)),
  }
}

/** The distance to a route by trying many places of each edge, and the best one's surroundings. */
function plainDistance([longitude, latitude]: LonLat, route: Route): number {
  const edges = route.flatMap((line) =>
    line.slice(1).map((to, index) => [line[index]!, to] as const),
  )
  return Math.min(...edges.map(([from, to]) => edgeDistance(latitude, longitude, from, to)))
}

const STEPS = 400

function edgeDistance(latitude: number, longitude: number, from: LonLat, to: LonLat): number {
  const east = to[0] - from[0] - 360 * Math.round((to[0] - from[0]) / 360)
  const at = (part: number) =>
    distanceMetres(latitude, longitude, from[1] + (to[1] - from[1]) * part, from[0] + east * part)
  let best = 0
  for (let step = 0; step <= STEPS; step += 1) if (at(step / STEPS) < at(best)) best = step / STEPS
  let [low, high] = [Math.max(0, best - 1 / STEPS), Math.min(1, best + 1 / STEPS)]
  for (let turn = 0; turn < 40; turn += 1) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3]
    if (at(a) < at(b)) high = b
    else low = a
  }
  return at((low + high) / 2)
}

const anyStep = fc.double({ min: -1, max: 1, noNaN: true })
const wrapped = (longitude: number) => longitude - 360 * Math.round(longitude / 360)
const within = (latitude: number) => Math.max(-89.9, Math.min(89.9, latitude))

/** Lines of some vertices around a place anywhere, and positions around them. */
const anyCase = fc
  .record({
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    latitude: fc.double({ min: -85, max: 85, noNaN: true }),
    size: fc.constantFrom(0.001, 0.02, 0.5, 3),
    lines: fc.array(fc.array(fc.tuple(anyStep, anyStep), { minLength: 2, maxLength: 8 }), {
      minLength: 1,
      maxLength: 3,
    }),
    places: fc.array(fc.tuple(anyStep, anyStep), { minLength: 1, maxLength: 4 }),
  })
  .map(({ longitude, latitude, size, lines, places }) => {
    const near = ([east, north]: [number, number], by: number): LonLat => [
      wrapped(longitude + east * by),
      within(latitude + north * by),
    ]
    return {
      route: lines.map((line) => line.map((step) => near(step, size))),
      places: places.map((step) => near(step, size * 1.5)),
    }
  })

describe('The distance to a route', () => {
  it('is that to the nearest of many places on it', () => {
    fc.assert(
      fc.property(anyCase, ({ route, places }) => {
        const line = lineOf(route)
        for (const place of places) {
          const [plain, found] = [
            plainDistance(place, route),
            line.distanceFrom(place[1], place[0]),
          ]
          assert.ok(Math.abs(found - plain) <= 0.01 + plain * 1e-4, `${found}, not ${plain}`)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is less than a centimeter on the route, near a pole as well', () => {
    const anyPart = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000)
    const anyPlace = fc.tuple(
      anyPart.map((part) => 6 * part),
      anyPart.map((part) => 89.9 * part),
    )
    fc.assert(
      fc.property(anyPlace, anyPlace, anyPart, (from, [east, up], part) => {
        const to: LonLat = [east, Math.min(89.9, from[1] + (up % 2))]
        const [longitude, latitude] = [
          from[0] + (to[0] - from[0]) * part,
          from[1] + (to[1] - from[1]) * part,
        ]
        const found = lineOf([[from, to]]).distanceFrom(latitude, longitude)
        assert.ok(found < 0.01, `${found}`)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is known: half a degree beside the equator, and beyond its ends', () => {
    const line = lineOf([
      [
        [10, 0],
        [12, 0],
      ],
    ])
    const degree = distanceMetres(0, 11, 0.5, 11)
    assert.ok(Math.abs(line.distanceFrom(0.5, 11) - degree) < 0.1)
    assert.equal(line.distanceFrom(0, 13), distanceMetres(0, 12, 0, 13))
    assert.ok(line.distanceFrom(0, 11.3) < 0.05)
  })

  it('crosses the antimeridian', () => {
    const line = lineOf([
      [
        [179.9, 10],
        [-179.9, 10],
      ],
    ])
    assert.ok(line.distanceFrom(10, 180) < 0.5)
    assert.ok(line.distanceFrom(10, -179.95) < 0.5)
    assert.ok(line.distanceFrom(10, 179) > 90_000)
  })
})
