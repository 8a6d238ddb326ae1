import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { duration, ending, id } from './options.ts'

const NOW = Date.UTC(2026, 10, 20, 10)

describe('Values on the command line', () => {
  it('include an expiry: a moment, the last millisecond of a date, or a duration from now', () => {
    assert.equal(ending('2026-11-20T12:00:00+01:00', NOW), Date.UTC(2026, 10, 20, 11))
    assert.equal(ending('2026-11-20', NOW), Date.UTC(2026, 10, 21) - 1)
    assert.equal(ending('36h', NOW), NOW + 36 * 3_600_000)
    for (const wrong of ['', 'soon', '2026-02-30', '90', '2026-11-20T24:00Z', '1.5d']) {
      assert.throws(() => ending(wrong, NOW), /must be a date/, wrong)
    }
    for (const past of ['2026-11-19', '2026-11-20T10:00:00Z', '0d']) {
      assert.throws(() => ending(past, NOW), /future/, past)
    }
  })

  it('include a duration: a number and a unit', () => {
    assert.deepEqual(['0s', '90s', '5m', '24h', '90d', '2w'].map(duration), [
      0,
      90_000,
      300_000,
      86_400_000,
      90 * 86_400_000,
      14 * 86_400_000,
    ])
    for (const wrong of ['', '5', 'm', '-5m', '5 m', '5y', '1h30m']) {
      assert.throws(() => duration(wrong), /must be a duration/, wrong)
    }
  })

  it('include an id: a whole number from 1', () => {
    assert.equal(id('7'), 7)
    for (const wrong of ['', '0', '-1', '1.0', '1e3', '0x1', '9007199254740993', ' 1']) {
      assert.throws(() => id(wrong), /must be an id/, wrong)
    }
  })
})
