import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyTrial, runTrial } from '../../../../testing/records/derivation-trial.ts'

const isWhole = process.env.RECORDS_TRIAL === 'whole'
const SEEDS = Number(process.env.SEEDS ?? (isWhole ? 10_000 : 150))
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

describe('Records', () => {
  it('depend on rows and places alone, whatever the order, the batches and the restarts', () => {
    let comparisons = 0
    fc.assert(
      fc.property(anyTrial, (trial) => {
        comparisons += runTrial(trial).comparisons
      }),
      { numRuns: SEEDS, ...SEED },
    )
    assert.ok(comparisons > SEEDS * 1.5, 'derivations were compared on the way')
  })
})
