import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { OpenedStore } from '../store-contract/fixture.ts'
import { anyStoredTrial, runStoredTrial } from './stored-trial.ts'

const isWhole = process.env.RECORDS_TRIAL === 'whole'
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

/** The records of a store are those of the definition, whatever the order, the batches, edits and kills. */
export function storedRecords(
  name: string,
  open: () => Promise<OpenedStore>,
  rules: FoldRules,
  seeds: number,
  skip: string | false = false,
): void {
  const numRuns = Number(process.env.SEEDS ?? (isWhole ? seeds * 20 : seeds))
  describe(`Records in ${name}`, { skip }, () => {
    it('are those of the sorted history, however they arrived and whoever was killed', async () => {
      const { store, cleanUp } = await open()
      let comparisons = 0
      await fc.assert(
        fc.asyncProperty(anyStoredTrial, async (trial) => {
          comparisons += (await runStoredTrial(store, rules, trial)).comparisons
        }),
        { numRuns, ...SEED },
      )
      await cleanUp()
      assert.ok(comparisons >= numRuns)
    })
  })
}
