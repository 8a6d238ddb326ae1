import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LonLat } from '../place.ts'
import { crossingOf } from './ring-crossing.ts'

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
