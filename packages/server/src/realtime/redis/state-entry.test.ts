import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { asStored } from '../../domain/fix-record.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import { anyFix, anyMoment } from '../../trial/any-fix.ts'
import { anyTrack } from '../../trial/any-track.ts'
import { packEntry, unpackEntry } from './state-entry.ts'

const orNull = <T>(any: fc.Arbitrary<T>) => fc.option(any, { nil: null })
const ownCounters = { engineHours: null, odometer: null }

const anyState: fc.Arbitrary<ObjectState> = fc.record(
  {
    lastFix: orNull(anyFix.map((fix) => ({ ...asStored(fix), ...ownCounters }))),
    timeServer: orNull(anyMoment),
    timeLastIdle: orNull(anyMoment),
    timeLastMove: orNull(anyMoment),
    timeLastStop: orNull(anyMoment),
    address: orNull(
      fc.record(
        { value: fc.string({ unit: 'grapheme' }), at: anyMoment },
        { noNullPrototype: true },
      ),
    ),
    track: orNull(anyTrack),
  },
  { noNullPrototype: true },
)

describe('an entry', () => {
  it('gives back the state, wherever in a reply it lies', () => {
    fc.assert(
      fc.property(anyState, fc.maxSafeNat(), fc.nat(9), (state, sequence, offset) => {
        const entry = packEntry(state, sequence)
        const reply = Buffer.concat([Buffer.alloc(offset, 0xff), entry])
        assert.deepEqual(unpackEntry(reply.subarray(offset)), state)
        assert.equal(entry.readDoubleLE(0), sequence)
      }),
    )
  })
})
