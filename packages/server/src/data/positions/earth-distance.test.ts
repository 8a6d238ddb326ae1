import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { COORDINATE_SCALE } from '../../base/domain/position/fix-record.ts'
import { distanceMetres } from '../../engine/tracking/rules/geodesic.ts'
import { travelledMm } from './predict.ts'

describe('The way of a block', () => {
  it('is that of the fold within 1 mm and some millionths, for steps of a vehicle', () => {
    const degrees = fc.integer({ min: -75 * COORDINATE_SCALE, max: 75 * COORDINATE_SCALE })
    const step = fc.integer({ min: -100_000, max: 100_000 })
    fc.assert(
      fc.property(degrees, degrees, step, step, (latitude, longitude, north, east) => {
        const there = [latitude + north, longitude + east] as const
        const [lat1, lon1, lat2, lon2] = [latitude, longitude, ...there].map(
          (each) => each / COORDINATE_SCALE,
        ) as [number, number, number, number]
        const expected = distanceMetres(lat1, lon1, lat2, lon2) * 1_000
        const way = travelledMm(latitude, longitude, ...there)
        assert.ok(Math.abs(way - expected) <= 1 + expected * 2e-5, `${way} for ${expected}`)
      }),
    )
  })
})
