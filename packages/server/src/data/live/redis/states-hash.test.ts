import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCurrent } from '../../../../testing/any-attributes.ts'
import { anyFix, anyMoment } from '../../../../testing/any-fix.ts'
import { anyFoldState } from '../../../../testing/any-fold-state.ts'
import { asStored } from '../../../base/domain/position/fix-record.ts'
import type { ObjectState } from '../../../base/domain/position/object-state.ts'
import { packEntry, unpackEntry } from './states-hash.ts'

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
    fold: orNull(anyFoldState),
    attributes: anyCurrent,
  },
  { noNullPrototype: true },
)

describe('A state entry', () => {
  it('decodes to its state, at any offset in a reply', () => {
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
