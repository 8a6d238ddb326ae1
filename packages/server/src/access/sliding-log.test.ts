import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newSlidingLogs, RATE_WINDOW, takeSlot } from './sliding-log.ts'

const { requests, spanUs } = RATE_WINDOW

describe('A sliding log', () => {
  it('decides each request as a direct implementation of the rule does', () => {
    const anyGap = fc.oneof(
      fc.nat(3),
      fc.nat(2_000_000),
      fc.constantFrom(0, 1, spanUs - 1, spanUs, spanUs + 1, 3 * spanUs),
    )
    fc.assert(
      fc.property(fc.array(anyGap, { maxLength: 120 }), (gaps) => {
        const log = newSlidingLogs(1)
        let admissions: number[] = []
        let nowUs = 7
        for (const gap of gaps) {
          nowUs += gap
          admissions = admissions.filter((at) => nowUs - at < spanUs)
          const admitted = admissions.length < requests
          if (admitted) admissions.push(nowUs)
          assert.deepEqual(takeSlot(log, 0, nowUs), {
            admitted,
            remaining: requests - admissions.length,
            resetUs: admissions[0]! + spanUs - nowUs,
          })
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('admits at the moment that a refusal announced, and not a microsecond earlier', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_500_000), { minLength: 10, maxLength: 10 }), (gaps) => {
        const log = newSlidingLogs(1)
        let nowUs = 0
        for (const gap of gaps) {
          nowUs += gap
          takeSlot(log, 0, nowUs)
        }
        const { admitted, resetUs } = takeSlot(log, 0, nowUs)
        fc.pre(!admitted)
        assert.equal(takeSlot(log, 0, nowUs + resetUs - 1).admitted, false)
        assert.equal(takeSlot(log, 0, nowUs + resetUs).admitted, true)
      }),
    )
  })

  it('admits ten at the first moment of a clock', () => {
    const log = newSlidingLogs(1)
    for (let i = 0; i < requests; i++) assert.ok(takeSlot(log, 0, 0).admitted)
    assert.equal(takeSlot(log, 0, 0).admitted, false)
  })
})
