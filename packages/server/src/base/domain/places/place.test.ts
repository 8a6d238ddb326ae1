import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { crossingOf, isInside, type LonLat } from './place.ts'

/** The crossing, and how often others could have had a turn. */
function search(ring: readonly LonLat[]): { crossing: LonLat | null; turns: number } {
  const steps = crossingOf(ring)
  for (let turns = 0; ; turns += 1) {
    const { done, value } = steps.next()
    if (done) return { crossing: value, turns }
  }
}

/** Corners that go from west to east and back, a little farther north each time. */
const strokes = (count: number): LonLat[] =>
  Array.from({ length: count }, (_, i): LonLat => [i % 2, i / count])

describe('The crossing of a ring', () => {
  it('is where two edges cross, also across the antimeridian', () => {
    const bow: LonLat[] = [[-1, 0], [1, 2], [1, 0], [-1, 2]] // biome-ignore format: a corner each
    assert.deepEqual(search(bow).crossing, [0, 1])
    const shifted = bow.map(([x, y]): LonLat => [x < 0 ? 180 + x : x - 180, y])
    assert.deepEqual(search(shifted).crossing?.map(Math.abs), [180, 1])
  })

  it('is null where edges only touch', () => {
    const touching: LonLat[] = [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1]] // biome-ignore format: a corner each
    assert.equal(search(touching).crossing, null)
  })

  it('is found among many edges side by side, while others have their turn', () => {
    const { crossing, turns } = search(strokes(1_001))
    assert.equal(crossing, null)
    assert.ok(turns > 50, `${turns} turns`)
    const crossed = [...strokes(1_001), [0.5, 2], [0.5, -1]] as LonLat[]
    assert.ok(search(crossed).crossing)
  })

  it('is not searched for longer than 1,000 comparisons for each vertex', () => {
    const ring = [...strokes(3_001), [0.5, 2], [0.5, -1]] as LonLat[]
    const compared = search(ring)
    assert.equal(compared.crossing, null)
    assert.ok(compared.turns < (ring.length * 1_000) / 5_000 + 10, `${compared.turns} turns`)
  })
})

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
