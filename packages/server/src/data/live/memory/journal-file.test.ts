import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayCounts } from './journal-file.ts'

/** Neighbors, ids around page boundaries, and the largest id. */
const id = fc.oneof(
  fc.nat(20),
  fc.nat(2_000),
  fc.constantFrom(63, 64, 65, 127, 128, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER),
)

test('counters of a day are the sums of their additions', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.integer({ min: -3, max: 3 }))), (added) => {
      const counts = dayCounts()
      const expected = new Map<number, number>()
      for (const [object, delta] of added) {
        const count = (expected.get(object) ?? 0) + delta
        expected.set(object, count)
        assert.equal(counts.add(object, delta), count)
      }
      for (const [object, count] of expected) assert.equal(counts.get(object), count)
      const counted = new Map([...expected].filter(([, count]) => count !== 0))
      assert.deepEqual(new Map(counts), counted)
    }),
  )
})

test('an unknown counter is 0, and reading it creates none', () => {
  const counts = dayCounts()
  assert.deepEqual([counts.get(0), counts.get(300), counts.get(Number.MAX_SAFE_INTEGER)], [0, 0, 0])
  assert.deepEqual([...counts], [])
})
