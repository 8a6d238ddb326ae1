import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { runAtOnce, sortedIndices } from './steps.ts'

it('Numbers are sorted in steps as at once, equal ones in their order', () => {
  const numbers = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 9 })),
    fc.array(fc.double({ noNaN: true })),
  )
  fc.assert(
    fc.property(numbers, (all) => {
      const expected = all.map((_, index) => index).sort((a, b) => all[a]! - all[b]! || a - b)
      assert.deepEqual([...runAtOnce(sortedIndices(Float64Array.from(all)))], expected)
    }),
  )
})
