import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeFlat, type Sample } from './flat.ts'

const over = (value: (at: number) => number): Sample[] =>
  Array.from({ length: 60 }, (_, i) => ({ at: i / 60, value: value(i / 60) }))
const memory = { what: 'memory', unit: 'MB', factor: 1.1, amount: 20 } as const
const judged = (samples: Sample[]) => judgeFlat({ ...memory, of: 'median', samples }).met

describe('A series of measurements', () => {
  it('is flat if it is steady, falls, or rises only during warm-up', () => {
    assert.equal(judged(over(() => 100)), true)
    assert.equal(judged(over((at) => 200 - 100 * at)), true)
    assert.equal(judged(over((at) => (at < 1 / 6 ? 1_000 * at : 180))), true)
  })

  it('is not flat if it keeps rising', () => {
    assert.equal(judged(over((at) => 100 + 40 * at)), false)
    assert.equal(judged(over((at) => 100 * 2 ** at)), false)
  })

  it('is not flat without measurements', () => {
    assert.equal(judged([]), false)
    assert.equal(judged(over(() => 100).filter(({ at }) => at < 0.8)), false)
  })
})
