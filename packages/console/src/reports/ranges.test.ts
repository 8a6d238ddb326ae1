import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RANGES } from './ranges.ts'

describe('The ranges of reports', () => {
  it('are the day before, the week before and the month before', () => {
    // A Sunday, a Monday, and the first of a year.
    const last = (name: string, today: string) => Object.values(RANGES[name]!.of(today))
    assert.deepEqual(last('yesterday', '2026-03-01'), ['2026-02-28', '2026-02-28'])
    assert.deepEqual(last('last-week', '2026-11-29'), ['2026-11-16', '2026-11-22'])
    assert.deepEqual(last('last-week', '2026-11-30'), ['2026-11-23', '2026-11-29'])
    assert.deepEqual(last('last-month', '2027-01-01'), ['2026-12-01', '2026-12-31'])
  })
})
