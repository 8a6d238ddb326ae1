import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyRecord } from '../../../testing/any-record.ts'
import { boxOf, packRecord, unpackRecord } from './record-form.ts'

describe('A packed record', () => {
  it('returns every value', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const packed = packRecord(record)
        assert.deepEqual(unpackRecord(packed), record)
        if (record.kind !== 'visit') assert.deepEqual(boxOf(packed), record.box)
      }),
      { numRuns: 500 },
    )
  })

  it('has equal bytes for equal records only', () => {
    fc.assert(
      fc.property(anyRecord, anyRecord, (a, b) => {
        assert.deepEqual(packRecord({ ...a }), packRecord(a))
        assert.notDeepEqual(packRecord(a), packRecord(b))
      }),
    )
  })
})
