import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyMoment } from '../trial/any-fix.ts'
import { anyTrack } from '../trial/any-track.ts'
import { UNSEEN } from './object-state.ts'
import { packNumbers, type StateNumbers, unpackNumbers } from './state-record.ts'

const anyTime = fc.option(anyMoment, { nil: null })
const anyState: fc.Arbitrary<StateNumbers> = fc.record(
  {
    timeServer: anyTime,
    timeLastIdle: anyTime,
    timeLastMove: anyTime,
    timeLastStop: anyTime,
    track: fc.option(anyTrack, { nil: null }),
  },
  { noNullPrototype: true },
)

describe('A state record', () => {
  it('gives back every state to the last digit, wherever it lies', () => {
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

  it('is of one length, whatever is known', () => {
    fc.assert(
      fc.property(anyState, anyState, (a, b) => {
        assert.equal(packNumbers(a).length, packNumbers(b).length)
      }),
    )
  })

  it('tells an object that was heard of from one that has a track', () => {
    const { lastFix: _, address: __, ...unseen } = UNSEEN
    assert.deepEqual(unpackNumbers(packNumbers(unseen)), unseen)
    const heard = { ...unseen, timeServer: 0 }
    assert.deepEqual(unpackNumbers(packNumbers(heard)), heard)
  })
})
