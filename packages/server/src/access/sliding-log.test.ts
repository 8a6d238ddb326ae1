import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newSlidingLog, SPAN_US as spanUs, takeSlot, withRoom } from './sliding-log.ts'

const requests = 10

describe('A sliding log', () => {
  it('decides each request as a direct implementation of the rule does, whatever it admitted before', () => {
    const anyGap = fc.oneof(
      fc.nat(3),
      fc.nat(2_000_000),
      fc.constantFrom(0, 1, spanUs - 1, spanUs, spanUs + 1, 3 * spanUs),
    )
    const anyStep = fc.record({ gap: anyGap, most: fc.constantFrom(1, 3, 10, 11, 40) })
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        let log = newSlidingLog(1)
        let admissions: number[] = []
        let nowUs = 7
        for (const { gap, most } of steps) {
          nowUs += gap
          log = withRoom(log, most)
          admissions = admissions.filter((at) => nowUs - at < spanUs)
          const admitted = admissions.length < most
          if (admitted) admissions.push(nowUs)
          assert.deepEqual(takeSlot(log, nowUs, most), {
            admitted,
            remaining: Math.max(0, most - admissions.length),
            resetUs: admissions.slice(-most)[0]! + spanUs - nowUs,
          })
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('admits at the moment that a refusal announced, and not a microsecond earlier', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_500_000), { minLength: 10, maxLength: 10 }), (gaps) => {
        const log = newSlidingLog(requests)
        let nowUs = 0
        for (const gap of gaps) {
          nowUs += gap
          takeSlot(log, nowUs, requests)
        }
        const { admitted, resetUs } = takeSlot(log, nowUs, requests)
        fc.pre(!admitted)
        assert.equal(takeSlot(log, nowUs + resetUs - 1, requests).admitted, false)
        assert.equal(takeSlot(log, nowUs + resetUs, requests).admitted, true)
      }),
    )
  })

  it('admits ten at the first moment of a clock', () => {
    const log = newSlidingLog(requests)
    for (let i = 0; i < requests; i++) assert.ok(takeSlot(log, 0, requests).admitted)
    assert.equal(takeSlot(log, 0, requests).admitted, false)
  })
})
