import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyTrial } from '../../../testing/records/derivation-trial.ts'
import { FoldedObject } from '../../../testing/records/folded-object.ts'
import type { ObjectSettings } from '../../base/domain/monitored-object.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import { packNumbers, unpackNumbers } from '../../base/domain/position/object-state.ts'

const SEEDS = Number(process.env.SEEDS ?? 300)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

function foldedFrom(settings: Partial<ObjectSettings>, batches: readonly Fix[][]) {
  const object = new FoldedObject(settings)
  for (const batch of batches) object.append(batch)
  while (object.foldOn());
  return object.folded()
}

describe('The fold of the fixes of an object', () => {
  it('has the same rows and the same state in any order of arrival', () => {
    const anyOrder = anyTrial.chain(({ settings, batches }) => {
      const fixes = batches.flat()
      return fc.record({
        ...{ settings: fc.constant(settings), batches: fc.constant(batches) },
        shuffled: fc.shuffledSubarray(fixes, { minLength: fixes.length }),
      })
    })
    const property = fc.property(anyOrder, ({ settings, batches, shuffled }) => {
      const sorted = batches.flat().sort((a, b) => a.timeDevice - b.timeDevice)
      const expected = foldedFrom(settings, [sorted])
      assert.deepEqual(foldedFrom(settings, batches), expected)
      assert.deepEqual(
        foldedFrom(
          settings,
          shuffled.map((fix) => [fix]),
        ),
        expected,
      )
      const { fold } = expected.state
      assert.deepEqual(unpackNumbers(packNumbers(expected.state)).fold, fold)
    })
    fc.assert(property, { numRuns: SEEDS, ...SEED })
  })
})
