import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countShares } from './shares.ts'

test('shares are plain sums, and a holder of nothing is forgotten', () => {
  const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), change: fc.integer() })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const shares = countShares<string>()
      const sumOf = (holder?: string) =>
        steps
          .filter((each) => holder === undefined || each.holder === holder)
          .reduce((sum, { change }) => sum + change, 0)
      for (const { holder, change } of steps) shares.add(holder, change)
      const expected = ['a', 'b', 'c'].map(sumOf)
      assert.deepEqual(
        ['a', 'b', 'c'].map((holder) => shares.of(holder)),
        expected,
      )
      assert.equal(shares.sum, sumOf())
      assert.equal(shares.holders, expected.filter((share) => share !== 0).length)
    }),
  )
})
