import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { serverClock } from './connection.ts'

const LONGEST_REPLY_US = 200_000

describe('The estimate of a server’s clock', () => {
  it('is as exact as the fastest reply', () => {
    const clock = serverClock()
    clock.observe(1_000_500, 0, 1_000)
    assert.equal(clock.at(0), 999_500)
    clock.observe(1_010_100, 10_000, 10_200)
    assert.equal(clock.at(0), 999_900)
    clock.observe(1_020_000, 19_000, 29_000)
    assert.equal(clock.at(0), 999_900)
  })

  it('follows a clock that is turned back', () => {
    const clock = serverClock()
    clock.observe(1_000_500, 0, 1_000)
    clock.observe(500_500, 2_000, 3_000)
    assert.equal(clock.at(0), 497_500)
  })

  it('is never ahead of the clock, despite changes of the clock and slow replies', () => {
    const anyReply = fc.record({
      idleUs: fc.nat(1_000_000),
      thereUs: fc.nat(LONGEST_REPLY_US / 2),
      backUs: fc.nat(LONGEST_REPLY_US / 2),
      turnedUs: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        fc.integer({ min: -10_000_000, max: 10_000_000 }),
      ),
    })
    fc.assert(
      fc.property(fc.array(anyReply, { minLength: 1 }), (replies) => {
        const clock = serverClock()
        let [nowUs, aheadUs] = [0, 1_000_000_000]
        let unnoticedUs = 0
        for (const { idleUs, thereUs, backUs, turnedUs } of replies) {
          aheadUs += turnedUs
          // A change shorter than the time of a reply remains unnoticed.
          if (turnedUs < 0) unnoticedUs = LONGEST_REPLY_US
          const sentUs = nowUs + idleUs
          nowUs = sentUs + thereUs + backUs
          clock.observe(sentUs + thereUs + aheadUs, sentUs, nowUs)
          assert.ok(clock.at(nowUs) <= nowUs + aheadUs + unnoticedUs)
        }
      }),
    )
  })
})
