import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { packFix } from '../../domain/fix-record.ts'
import { fixAt } from '../contract/fixture.ts'
import { isInOrder } from './row-order.ts'

const UNCOUNTED = { odometer: null, mileage: null, engineHours: null }
const NOW = Date.parse('2026-11-20T10:00:00Z')
const recordAt = (time: number) => packFix(fixAt(time, { address: `at ${time}` }), UNCOUNTED)
const blockOf = (...times: number[]) => Buffer.concat(times.map(recordAt))

describe('the order of a block', () => {
  it('is right where each record is later than the one before, and the first than what was read', () => {
    assert.ok(isInOrder(blockOf(NOW, NOW + 1, NOW + 2 ** 33), NOW - 1))
    assert.ok(isInOrder(blockOf(), NOW))
    assert.ok(!isInOrder(blockOf(NOW, NOW + 2, NOW + 1), NOW - 1))
    assert.ok(!isInOrder(blockOf(NOW, NOW), NOW - 1))
    assert.ok(!isInOrder(blockOf(NOW), NOW))
  })

  it('is wrong where a length leads beyond the end, or nowhere', () => {
    for (const length of [0, 1, 54, 100, 65_535]) {
      const block = blockOf(NOW, NOW + 1)
      block.writeUInt16LE(length, 0)
      assert.ok(!isInOrder(block, 0), `${length}`)
    }
    const cut = blockOf(NOW, NOW + 1)
    assert.ok(!isInOrder(cut.subarray(0, -1), 0))
  })
})
