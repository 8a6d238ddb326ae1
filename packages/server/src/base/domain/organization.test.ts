import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { purgeableBefore, shownFrom } from './organization.ts'
import { DAY_MS } from './time/time.ts'

const NOW = Date.UTC(2026, 10, 20, 10)
const LONG_AGO = NOW - 100 * DAY_MS
const NONE = { retentionDays: null, updatedAt: LONG_AGO }

describe('Retention', () => {
  it('shows the last days to the millisecond, and deletes positions hidden for a day', () => {
    const organization = { retentionDays: 30, updatedAt: LONG_AGO }
    assert.equal(shownFrom(organization, undefined, NOW), Date.UTC(2026, 9, 21, 10))
    assert.equal(purgeableBefore(organization, NONE, NOW), Date.UTC(2026, 9, 20, 10))
  })

  it('keeps everything by default', () => {
    const organization = { retentionDays: null, updatedAt: LONG_AGO }
    assert.equal(shownFrom(organization, undefined, NOW), 0)
    assert.equal(purgeableBefore(organization, NONE, NOW), 0)
  })

  it('deletes nothing within a day of a change', () => {
    const changed = (ago: number) => ({ retentionDays: 1, updatedAt: NOW - ago })
    assert.equal(purgeableBefore(changed(DAY_MS - 1), NONE, NOW), 0)
    assert.ok(purgeableBefore(changed(DAY_MS), NONE, NOW) > 0)
  })

  it('is the shorter one of organization and object, whichever changed', () => {
    const days = (retentionDays: number | null) => ({ retentionDays, updatedAt: LONG_AGO })
    for (const [ofAll, own] of [
      [null, 30],
      [90, 30],
      [30, 90],
      [30, null],
    ] as const) {
      assert.equal(shownFrom(days(ofAll), days(own), NOW), NOW - 30 * DAY_MS)
      assert.equal(purgeableBefore(days(ofAll), days(own), NOW), NOW - 31 * DAY_MS)
    }
    const changed = { retentionDays: 1, updatedAt: NOW }
    assert.equal(purgeableBefore(days(30), changed, NOW), NOW - 31 * DAY_MS)
    assert.equal(purgeableBefore(changed, days(30), NOW), NOW - 31 * DAY_MS)
  })

  it('never deletes positions that a history started within a day may show', () => {
    const days = fc.option(fc.integer({ min: 1, max: 36_500 }))
    const past = fc.integer({ min: 0, max: 3 * DAY_MS })
    fc.assert(
      fc.property(days, days, past, past, (before, after, changedAgo, begunAgo) => {
        fc.pre(begunAgo < DAY_MS)
        const [updatedAt, began] = [NOW - changedAgo, NOW - begunAgo]
        const atBeginning = began < updatedAt ? before : after
        const shown = shownFrom({ retentionDays: atBeginning }, undefined, began)
        assert.ok(purgeableBefore({ retentionDays: after, updatedAt }, NONE, NOW) <= shown)
      }),
    )
  })
})
