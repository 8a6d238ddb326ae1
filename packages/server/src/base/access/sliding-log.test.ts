import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../testing/handed-clock.ts'
import { tryWindow } from '../../../testing/live-contract/window-trial.ts'
import { RATE_WINDOW } from '../domain/limits.ts'
import type { Clock } from '../domain/time/time.ts'
import {
  memoryRateWindow,
  newSlidingLog,
  type RateVerdict,
  type RateWindow,
  SPAN_US as spanUs,
  takeSlot,
  withoutSlot,
  withRoom,
} from './sliding-log.ts'

const { requests } = RATE_WINDOW

describe('A sliding log', () => {
  it('decides each request as a direct implementation of the rule does, whatever it admitted before', () => {
    const anyGap = fc.oneof(
      fc.nat(3),
      fc.nat(2_000_000),
      fc.constantFrom(0, 1, spanUs - 1, spanUs, spanUs + 1, 3 * spanUs),
    )
    const anyStep = fc.record({
      gap: anyGap,
      most: fc.constantFrom(1, 3, 10, 11, 40),
      givesBack: fc.option(fc.nat(5)),
    })
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        let log = newSlidingLog(1)
        let admissions: number[] = []
        let nowUs = 7
        for (const { gap, most, givesBack } of steps) {
          nowUs += gap
          const back = givesBack === null ? undefined : admissions.at(-1 - givesBack)
          if (back !== undefined) {
            log = withoutSlot(log, back)
            admissions.splice(admissions.lastIndexOf(back), 1)
          }
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

const TRIAL = { checks: 1_000_000, organizations: 1_000, seed: 20261121 }

/** Enough to detect implementations that break the rule. */
const SHORTER = { ...TRIAL, checks: 200_000 }

describe('The rate window of one process', () => {
  it('keeps the rule over 1,000,000 checks of 1,000 organizations', (context) => {
    const clock = handedClock()
    const result = tryWindow(memoryRateWindow(clock), clock, TRIAL)
    context.diagnostic(JSON.stringify(result))
    assert.ok(result.admitted > 10_000 && result.checks - result.admitted > 10_000)
    assert.equal(result.overfullSpans, 0)
    assert.equal(result.undeserved, 0)
    assert.equal(result.wrongWaits, 0)
  })

  it('would break the rule as a fixed window', (context) => {
    const clock = handedClock()
    const result = tryWindow(fixedWindow(clock), clock, SHORTER)
    context.diagnostic(JSON.stringify(result))
    assert.ok(result.overfullSpans > 0)
  })

  it('keeps every admission long enough', () => {
    const clock = handedClock()
    const window = memoryRateWindow(clock)
    clock.advanceUs(spanUs - 1)
    for (let i = 0; i < requests; i++) assert.ok(window.take(1).admitted)
    clock.advanceUs(1)
    assert.ok(window.take(2).admitted)
    assert.ok(!window.take(1).admitted)
    clock.advanceUs(spanUs - 2)
    const last = window.take(1)
    assert.deepEqual([last.admitted, last.resetUs], [false, 1])
    clock.advanceUs(1)
    assert.ok(window.take(1).admitted)
  })

  it('gives a key with a share exactly that many of any span', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ waitUs: fc.nat(4_000_000), share: fc.constantFrom(null, 2, 5) }), {
          maxLength: 60,
        }),
        (sent) => {
          const clock = handedClock()
          const window = memoryRateWindow(clock)
          const admitted: { at: number; share: number | null }[] = []
          for (const { waitUs, share } of sent) {
            clock.advanceUs(waitUs)
            const now = clock.monotonic()
            const lately = admitted.filter(({ at }) => at > now - spanUs)
            const ofKey = lately.filter((each) => each.share === share)
            const left = Math.min(requests - lately.length, (share ?? requests) - ofKey.length)
            const isAdmitted = share === null ? lately.length < requests : left > 0
            const verdict = window.take(
              1,
              share === null ? {} : { share: { key: share, requests: share } },
            )
            assert.equal(verdict.admitted, isAdmitted)
            if (!isAdmitted) continue
            admitted.push({ at: now, share })
            assert.equal(verdict.remaining, (share === null ? requests - lately.length : left) - 1)
          }
        },
      ),
    )
  })

  it('reports the remaining requests and the time of the next free slot', () => {
    const clock = handedClock()
    const window = memoryRateWindow(clock)
    const first = window.take(1)
    assert.deepEqual(first, { admitted: true, remaining: 9, resetUs: spanUs })
    clock.advanceUs(4_000_000)
    assert.deepEqual(window.take(1), { admitted: true, remaining: 8, resetUs: 6_000_000 })
    clock.advanceUs(6_000_000)
    assert.deepEqual(window.take(1), { admitted: true, remaining: 8, resetUs: 4_000_000 })
  })
})

/** Starts to count at 0 every 10 s, and so admits 20 around a boundary. */
function fixedWindow(clock: Clock): RateWindow {
  const counts = new Map<number, { window: number; count: number }>()
  return {
    take(organization): RateVerdict {
      const nowUs = clock.monotonic()
      const window = Math.floor(nowUs / spanUs)
      const resetUs = (window + 1) * spanUs - nowUs
      const existing = counts.get(organization)
      const count = existing?.window === window ? existing.count : 0
      if (count >= requests) return { admitted: false, remaining: 0, resetUs }
      counts.set(organization, { window, count: count + 1 })
      return { admitted: true, remaining: requests - count - 1, resetUs }
    },
  }
}
