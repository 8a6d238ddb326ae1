import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FoldedObject } from '../../../testing/records/folded-object.ts'
import { anySettings } from '../../../testing/store-contract/arrivals.ts'
import { fixAt } from '../../../testing/store-contract/fixture.ts'
import { runAtOnce } from '../../domain/common/steps.ts'
import type { Fix } from '../../domain/position/fix.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { AdherenceTotals } from './adherence.ts'
import { indexRoute } from './route-index.ts'

const START = Date.UTC(2026, 4, 4)
/** A street to the east, with a waypoint at each end. */
const ROUTE = {
  id: 1,
  coordinates: [[[2, 41] as [number, number], [2.1, 41] as [number, number]]],
  points: [
    { location: [2, 41] as [number, number], order: 1 },
    { location: [2.1, 41] as [number, number], order: 2 },
  ],
  deviation: 100 as number | null,
}

function rowsOf(fixes: readonly Fix[], settings = {}): TrackRow[] {
  const object = new FoldedObject(settings)
  object.append(fixes)
  return object.rows(-1)
}

function totalsOf(rows: readonly TrackRow[], route = ROUTE) {
  const totals = new AdherenceTotals(runAtOnce(indexRoute(route)))
  for (const row of rows) runAtOnce(totals.add(row))
  return runAtOnce(totals.result())
}

describe('Adherence', () => {
  it('without a deviation of the route, or without a distance, has no share', () => {
    const rows = rowsOf([
      fixAt(START, { latitude: 41, longitude: 2, speed: 30 }),
      fixAt(START + 20_000, { latitude: 41, longitude: 2.002, speed: 30 }),
    ])
    const free = totalsOf(rows, { ...ROUTE, deviation: null })
    assert.deepEqual([free.shareInside, free.deviations], [null, []])
    assert.equal(free.waypoints[0]!.isVisitedInOrder, null)
    const parked = totalsOf(rowsOf([fixAt(START, { latitude: 41, longitude: 2.05 })]))
    assert.deepEqual([parked.distance, parked.shareInside], [0, null])
    assert.equal(totalsOf([]).distance, null)
  })

  it('is the same if the newest row comes again, and shares what the odometer counts', () => {
    const anyFixes = fc.array(
      fc.record({
        wait: fc.constantFrom(1_000, 30_000, 400_000),
        latitude: fc.constantFrom(41, 41.0005, 41.002, 41.5, 60),
        longitude: fc.constantFrom(1.99, 2, 2.05, 2.06, 2.1),
        speed: fc.constantFrom(null, 0, 40),
        odometer: fc.constantFrom(null, 5, 9),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(anyFixes, anySettings, fc.nat(), (steps, settings, at) => {
        let time = START
        const fixes = steps.map(({ wait, ...fields }) => {
          time += wait
          return fixAt(time, fields)
        })
        const rows = rowsOf(fixes, settings)
        const whole = totalsOf(rows)
        const again = rows.toSpliced(at % rows.length, 0, rows[at % rows.length]!)
        assert.deepEqual(totalsOf(again), whole)
        const believed = rows.filter(({ isSuspect }) => !isSuspect)
        const known = believed.flatMap(({ odometer }) => odometer ?? [])
        assert.equal(whole.distance ?? 0, (known.at(-1) ?? 0) - (known[0] ?? 0))
        assert.ok(whole.shareInside === null || (whole.shareInside >= 0 && whole.shareInside <= 1))
      }),
      { numRuns: 200 },
    )
  })
})
