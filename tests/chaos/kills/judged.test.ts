import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newTally } from './course.ts'
import { findingOf, recoveries, totals } from './judged.ts'

const FEED = { what: 'feed', bar: 'acknowledged = stored' }

describe('The judgement on kills', () => {
  it('adds up the results of all runs of a kind', () => {
    const outcomes = [
      { kills: 3, sums: { 'rows acknowledged': 5 }, fault: undefined },
      { kills: 4, sums: { 'rows acknowledged': 6 }, fault: undefined },
    ]
    const { measured, met } = findingOf(FEED, outcomes, undefined)
    assert.deepEqual([measured, met], ['so after all 7: 11 rows acknowledged', true])
  })

  it('fails if a run met a fault, and says after how many kills', () => {
    const outcomes = [
      { kills: 3, sums: {}, fault: undefined },
      { kills: 1, sums: {}, fault: 'a row is gone' },
    ]
    const { measured, met } = findingOf(FEED, outcomes, undefined)
    assert.deepEqual([measured, met], ['after 1 kills: a row is gone', false])
  })

  it('reports omitted runs without their server', () => {
    const { measured, bar } = findingOf({ ...FEED, needsServers: true }, [], 'PostgreSQL')
    assert.deepEqual([measured, bar], ['left out: no PostgreSQL', ''])
  })

  it('fails with too few kills, or too slow a start', () => {
    const tally = { ...newTally(), kills: 9, integrityChecks: 9, startsMs: [100, 10_001] }
    const missed = [...totals(tally, 10), ...recoveries(tally)].filter(({ met }) => !met)
    assert.deepEqual(
      missed.map(({ what }) => what),
      ['kills in all', 'from a start after a kill to the first answer'],
    )
  })
})
