import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyMoment } from '../../../testing/any-fix.ts'
import { anyFoldState } from '../../../testing/any-fold-state.ts'
import { UNSEEN } from './object-state.ts'
import { packNumbers, type StateNumbers, unpackNumbers } from './state-record.ts'

const anyTime = fc.option(anyMoment, { nil: null })
const anyState: fc.Arbitrary<StateNumbers> = fc.record(
  {
    timeServer: anyTime,
    timeLastIdle: anyTime,
    timeLastMove: anyTime,
    timeLastStop: anyTime,
    fold: fc.option(anyFoldState, { nil: null }),
  },
  { noNullPrototype: true },
)

describe('A state record', () => {
  it('returns every state to the last digit, at any offset', () => {
    fc.assert(
      fc.property(anyState, fc.nat(9), (state, shift) => {
        const record = packNumbers(state)
        assert.deepEqual(unpackNumbers(record), state)
        const bytes = Buffer.concat([Buffer.alloc(shift, 0xff), record, Buffer.alloc(3, 0xff)])
        const within = bytes.subarray(shift, shift + record.length)
        assert.deepEqual(unpackNumbers(within), state)
      }),
      { numRuns: 1_000 },
    )
  })

  it('distinguishes an object with a contact from one with a track', () => {
    const { lastFix: _, address: __, attributes: ___, ...unseen } = UNSEEN
    assert.deepEqual(unpackNumbers(packNumbers(unseen)), unseen)
    const heard = { ...unseen, timeServer: 0 }
    assert.deepEqual(unpackNumbers(packNumbers(heard)), heard)
  })
})
