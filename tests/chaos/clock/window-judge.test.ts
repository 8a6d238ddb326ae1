import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Asked, extraOf, longestBlock } from './window-judge.ts'

const at = (sentAt: number, isAdmitted = true): Asked => {
  return { sentAt, answeredAt: sentAt + 5, isAdmitted }
}

const burst = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => at(from + i * 10))

describe('The judge of a window', () => {
  it('finds the eleventh request within ten seconds, and accepts one after them', () => {
    assert.equal(extraOf([...burst(0, 10), at(10_001)]), 0)
    assert.equal(extraOf([...burst(0, 10), at(9_000, false), at(9_900)]), 1)
    assert.equal(extraOf([...burst(0, 10), ...burst(5_000, 10)]), 10)
  })

  it('does not count requests that may have been admitted a moment later', () => {
    assert.equal(extraOf([...burst(0, 10), at(9_996)]), 0)
  })

  it('measures how long a window refuses without an admission', () => {
    const refused = [at(100, false), at(4_000, false), at(10_200, false)]
    assert.equal(longestBlock([at(0), ...refused, at(10_300)], []), 10_095)
    assert.equal(longestBlock([at(0), at(100, false), at(4_000), at(10_200, false)], []), 0)
  })

  it('starts again after a step of the clock', () => {
    const refused = [at(100, false), at(9_000, false), at(18_000, false)]
    assert.equal(longestBlock(refused, [8_000]), 8_995)
    assert.equal(longestBlock(refused, [20_000]), 17_895)
  })
})
