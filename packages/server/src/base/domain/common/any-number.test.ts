import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addAll, maxOf, minOf } from './any-number.ts'

describe('A list of any length', () => {
  it('has a least and a greatest number', () => {
    const numbers = Array.from({ length: 1_000_000 }, (_, index) => index - 3)
    assert.deepEqual([minOf(numbers), maxOf(new Set(numbers))], [-3, 999_996])
    assert.deepEqual([minOf([]), maxOf([])], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
  })

  it('takes all items of another one', () => {
    const list = [1]
    addAll(list, new Array<number>(1_000_000).fill(2))
    assert.equal(list.length, 1_000_001)
  })
})
