import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { exact, quotient } from '../../../testing/exact-decimal.ts'
import { rounded } from './numbers.ts'

const ONE = exact(1)

describe('A rounded number', () => {
  it('remains unknown if unknown, and has no negative zero', () => {
    assert.equal(rounded(null, 2), null)
    assert.ok(Object.is(rounded(-0.004, 2), 0))
    assert.ok(Object.is(rounded(-0, 2), 0))
    assert.equal(rounded(0.49999999999999994, 0), 0)
  })

  it('equals exact decimal arithmetic: halves of its digits round away from zero', () => {
    const value = fc.oneof(
      fc.double({ min: -1e8, max: 1e8, noNaN: true }),
      fc.double({ min: -1e-5, max: 1e-5, noNaN: true }),
      // Many values on a half, or close to one.
      fc
        .tuple(
          fc.oneof(
            fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
            fc.integer({ min: -99, max: 99 }),
          ),
          fc.nat(9),
        )
        .map(([digits, shift]) => Number(`${digits}5e-${shift}`)),
    )
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2, 3, 7), (number, decimals) => {
        assert.equal(rounded(number, decimals), quotient(exact(number), ONE, decimals) + 0)
      }),
      { numRuns: 3_000 },
    )
  })
})
