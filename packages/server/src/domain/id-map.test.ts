import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idMap } from './id-map.ts'

test('a map by ids equals a Map', () => {
  const id = fc.oneof(fc.nat(200), fc.constantFrom(2 ** 31, 2 ** 31 + 1, Number.MAX_SAFE_INTEGER))
  const step = fc.record({ id, value: fc.option(fc.nat(), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const expected = new Map<number, number>()
      const map = idMap<number>()
      for (const { id, value } of steps) {
        if (value === undefined) {
          expected.delete(id)
          map.delete(id)
        } else {
          expected.set(id, value)
          map.set(id, value)
        }
        assert.equal(map.get(id), expected.get(id))
      }
      const byId = (entries: Iterable<readonly [number, number]>) =>
        [...entries].sort(([a], [b]) => a - b)
      assert.deepEqual(byId(map.entries()), byId(expected))
    }),
  )
})
