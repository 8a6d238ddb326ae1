import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import pointInPolygon from 'point-in-polygon-hao'
import { hugeRing } from '../../../../testing/huge-ring.ts'
import type { LonLat } from '../../../base/domain/places/place.ts'
import { bandedRing, ringZone } from './zone.ts'

/** So few different degrees that points lie on vertices, edges and bounds of bands. */
const anyVertex = fc.tuple(fc.nat(12), fc.nat(64)).map(([x, y]): LonLat => [x / 4, y / 16])
const anyRing = fc
  .array(anyVertex, { minLength: 64, maxLength: 400 })
  .map((open): LonLat[] => [...open, open[0]!])

describe('A ring in bands', () => {
  it('contains the same points as the whole ring', () => {
    const points = fc.array(anyVertex, { minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(anyRing, points, (ring, others) => {
        const contains = bandedRing(ring)
        for (const [x, y] of [...others, ...ring.slice(0, 20)]) {
          assert.equal(contains(y, x), pointInPolygon([x, y], [ring]) !== false, `${x} ${y}`)
        }
      }),
      { numRuns: 500 },
    )
  })

  for (const vertices of [150_002, 1_000_000]) {
    it(`is searched quickly with ${vertices} vertices`, () => {
      const { contains } = ringZone({ coordinates: hugeRing(vertices) })
      const from = process.cpuUsage()
      let inside = 0
      for (let at = 0; at < 2_000; at += 1) if (contains(50.5, 9 + at / 1_000)) inside += 1
      const { user, system } = process.cpuUsage(from)
      assert.equal(inside, 1_733)
      // All edges for each point would take 2 seconds, and more.
      assert.ok(user + system < 500_000, `${(user + system) / 1_000} ms`)
    })
  }
})
