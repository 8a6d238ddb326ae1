import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bareFix, type Fix } from '../domain/fix.ts'
import { type ObjectState, UNSEEN } from '../domain/object-state.ts'
import { OBJECT_DEFAULTS, type TrackedObject } from '../domain/tracked-object.ts'
import { anyFix } from '../trial/any-fix.ts'
import { fold } from './fold.ts'
import { motionOf } from './motion.ts'

const OBJECT: TrackedObject = {
  ...OBJECT_DEFAULTS,
  id: 1,
  organization: 1,
  name: 'Van',
  ident: '1',
  createdAt: 0,
  updatedAt: 0,
}

const folded = (fixes: Fix[], from: ObjectState = UNSEEN) =>
  fixes.reduce((state, fix) => fold(state, OBJECT, fix), from)

/** No two accepted fixes of an object share their device time. */
const anyHistory = fc.uniqueArray(anyFix, { selector: (fix) => fix.timeDevice, maxLength: 12 })

describe('The state of an object', () => {
  it('does not depend on the order in which its fixes come', () => {
    const anyShuffled = anyHistory.chain((fixes) =>
      fc.tuple(
        fc.constant(fixes),
        fc.shuffledSubarray(fixes, { minLength: fixes.length, maxLength: fixes.length }),
      ),
    )
    fc.assert(
      fc.property(anyShuffled, ([fixes, shuffled]) => {
        assert.deepEqual(folded(shuffled), folded(fixes))
      }),
      { numRuns: 500 },
    )
  })

  it('is what its fixes say when they are all looked at together', () => {
    fc.assert(
      fc.property(anyHistory, (fixes) => {
        const sorted = fixes.toSorted((a, b) => a.timeDevice - b.timeDevice)
        const lastTime = (motion: string) =>
          sorted.findLast((fix) => motionOf(fix, OBJECT.accuracy) === motion)?.timeDevice ?? null
        const latest = <Field extends 'engineHours' | 'odometer' | 'mileage' | 'address'>(
          field: Field,
        ) => {
          const fix = sorted.findLast((candidate) => candidate[field] !== null)
          return fix === undefined ? null : { value: fix[field], at: fix.timeDevice }
        }
        assert.deepEqual(folded(fixes), {
          lastFix: sorted.at(-1) ?? null,
          timeServer: fixes.length === 0 ? null : Math.max(...fixes.map((fix) => fix.timeServer)),
          timeLastIdle: lastTime('idle'),
          timeLastMove: lastTime('moving'),
          timeLastStop: lastTime('stopped'),
          engineHours: latest('engineHours'),
          odometer: latest('odometer'),
          mileage: latest('mileage'),
          address: latest('address'),
        })
      }),
      { numRuns: 500 },
    )
  })

  it('keeps a counter of 0 and an empty address for what they are', () => {
    const first = { ...bareFix(1, 1, 1, 1), odometer: 9, address: 'Calle 1' }
    const second = { ...bareFix(2, 2, 1, 1), odometer: 0, address: '' }
    const state = folded([first, second])
    assert.deepEqual(state.odometer, { value: 0, at: 2 })
    assert.deepEqual(state.address, { value: '', at: 2 })
  })

  it('is never changed, only replaced', () => {
    const before = Object.freeze(folded([bareFix(1, 1, 1, 1)]))
    const after = fold(before, OBJECT, bareFix(2, 2, 2, 2))
    assert.equal(before.lastFix?.timeDevice, 1)
    assert.equal(after.lastFix?.timeDevice, 2)
  })
})
