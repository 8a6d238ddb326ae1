import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ShiftEntry } from '../store/change-entries.ts'
import { shiftSpans } from './shift-spans.ts'

const END = 60
const time = fc.nat({ max: END - 10 })
const amount = fc.integer({ min: -3, max: 3 })
const shift = fc.record({
  from: time,
  tripsSince: fc.constant(null),
  odometer: amount,
  mileage: amount,
  engineHours: amount,
})
/** Trips that do not overlap, by time. */
const trips = fc
  .uniqueArray(time, { maxLength: 6 })
  .map((times) => times.sort((a, b) => a - b))
  .chain((times) => fc.boolean().map((isOpen) => pairsOf(times, isOpen)))

/** `isOpen`: a last time without another one is the start of an open trip. */
function pairsOf(times: readonly number[], isOpen: boolean): TimeRange[] {
  return times.flatMap((from, index) => {
    const to = times[index + 1] ?? (isOpen ? LAST_TIME : undefined)
    return index % 2 === 0 && to !== undefined ? [{ from, to }] : []
  })
}

describe('the spans of the shifts of one change', () => {
  it('move each position by the sum of its shifts, and never overlap', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(shift, trips), { maxLength: 5 }), (all) => {
        const tripsOf = new Map<ShiftEntry, TimeRange[]>(all)
        const spans = shiftSpans([...tripsOf.keys()], (each) => tripsOf.get(each)!)
        assert.ok(spans.every(({ to }) => to === null || to < END))
        for (let at = 0; at <= END; at += 1) {
          const here = spans.filter(({ from, to }) => from <= at && at <= (to ?? END))
          assert.ok(here.length <= 1, `${here.length} spans at ${at}`)
          const { odometer = 0, mileage = 0, engineHours = 0 } = here[0] ?? {}
          assert.deepEqual([odometer, mileage, engineHours], amountsAt(all, at))
        }
      }),
    )
  })

  it('leave out what moves nothing', () => {
    const there = { from: 10, tripsSince: null, odometer: 5, mileage: 0, engineHours: 0 }
    const back = { ...there, from: 20, odometer: -5 }
    const moved = [{ from: 10, to: 19, odometer: 5, mileage: 0, engineHours: 0 }]
    assert.deepEqual(
      shiftSpans([there, back], () => []),
      moved,
    )
  })
})

function amountsAt(all: readonly (readonly [ShiftEntry, TimeRange[]])[], at: number): number[] {
  const sums = [0, 0, 0]
  for (const [{ from, odometer, mileage, engineHours }, ranges] of all) {
    if (at < from) continue
    const isInTrip = ranges.some((range) => range.from <= at && at <= range.to)
    sums[0]! += odometer
    sums[1]! += isInTrip ? mileage : 0
    sums[2]! += engineHours
  }
  return sums
}
