import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkLines } from './place-settings.ts'

describe('The check of a long line', () => {
  it('lets others take turns after every 2,000 positions', () => {
    const line = Array.from({ length: 10_000 }, (_, i) => [i / 1_000, 0])
    const steps = checkLines([line])
    let turns = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        assert.equal(step.value, undefined)
        break
      }
      turns += 1
    }
    assert.equal(turns, 5)
  })
})
