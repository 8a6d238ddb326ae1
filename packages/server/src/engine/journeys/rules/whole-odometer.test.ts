import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyTrial, type Trial } from '../../../../testing/records/derivation-trial.ts'
import { FoldedObject } from '../../../../testing/records/folded-object.ts'
import { advanceRecords } from './advance-records.ts'
import { type Draft, openDrafts } from './drafts.ts'
import { placeIndex } from './place-index.ts'
import { noProgress } from './progress.ts'

const SEEDS = Number(process.env.SEEDS ?? 300)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
const NO_PLACES = placeIndex([], [])

describe('The trips of an object', () => {
  it('add up to its system odometer, to the millimetre, after each of its positions', () => {
    fc.assert(fc.property(anyTrial, checkTrial), { numRuns: SEEDS, ...SEED })
  })
})

function checkTrial({ settings, batches }: Trial): void {
  const object = new FoldedObject({ ...settings, odometerType: 'system' })
  object.append(batches.flat())
  while (object.foldOn());
  const progress = noProgress()
  const ended: Draft[] = []
  const rows = object.rows(-1)
  for (const [index, row] of rows.entries()) {
    advanceRecords(progress, NO_PLACES, row, ended)
    const driven = sumOf([...ended, ...openDrafts(progress)])
    assert.equal(driven, row.odometer! - rows[0]!.odometer!, `after position ${index}`)
  }
}

/** Millimeters. */
function sumOf(drafts: readonly Draft[]): number {
  return drafts.reduce(
    (sum, { record }) => sum + (record.kind === 'trip' ? record.distance! : 0),
    0,
  )
}
