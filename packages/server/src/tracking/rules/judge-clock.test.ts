import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ClockSettings, clockFault, correctedTime } from './judge-clock.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const WEEK = 7 * DAY
const settings: ClockSettings = { futureTolerance: 10, maximumAge: 365, correctRollover: true }

describe('The time of a live fix', () => {
  it('is at most some minutes ahead, and at most some days old', () => {
    const faults = [10 * MINUTE, 10 * MINUTE + 1, -365 * DAY, -365 * DAY - 1].map((after) =>
      clockFault(settings, NOW + after, NOW),
    )
    assert.deepEqual(faults, [undefined, 'in_future', undefined, 'implausible_past'])
    assert.equal(
      clockFault({ ...settings, futureTolerance: 60 }, NOW + 60 * MINUTE, NOW),
      undefined,
    )
    assert.equal(clockFault({ ...settings, maximumAge: 1 }, NOW - 2 * DAY, NOW), 'implausible_past')
  })

  it('is corrected by one or two rollovers of the week number, if that makes it plausible', () => {
    for (const [rollovers, weeksAgo, corrected] of [
      [1, 0, true],
      [2, 0, true],
      [3, 0, false],
      [1, 52, true],
      [1, 53, false],
      [1, -1, false],
    ] as const) {
      const time = NOW - weeksAgo * WEEK
      const expected = corrected ? time : undefined
      const sent = time - rollovers * 1_024 * WEEK
      assert.equal(correctedTime(settings, sent, NOW), expected, `${rollovers} ${weeksAgo}`)
    }
  })

  it('stays if it is plausible, or if the organization corrects nothing', () => {
    assert.equal(correctedTime(settings, NOW - 364 * DAY, NOW), undefined)
    const off = { ...settings, correctRollover: false }
    assert.equal(correctedTime(off, NOW - 1_024 * WEEK, NOW), undefined)
  })
})
