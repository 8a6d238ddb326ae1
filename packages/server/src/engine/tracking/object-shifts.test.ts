import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { objectShifts, type Shift } from './object-shifts.ts'

/** Shifts that partly cancel each other, sometimes close together. */
const anyShifts: fc.Arbitrary<Shift[]> = fc
  .uniqueArray(
    fc.record({
      from: fc.nat(30),
      odometer: fc.integer({ min: -1_000_000, max: 1_000_000 }),
      engineHours: fc.integer({ min: -60_000, max: 60_000 }),
    }),
    { selector: ({ from }) => from, maxLength: 8 },
  )
  .map((shifts) => shifts.sort((a, b) => a.from - b.from))

/** Larger than the sum of all shifts. */
const MANY = 10_000_000
const anyCounter = fc.option(fc.integer({ min: MANY, max: 10 * MANY }), { nil: null })
const anyCounters = fc.record(
  { odometer: anyCounter, mileage: anyCounter, engineHours: anyCounter },
  { noNullPrototype: true },
)

const anyTime = fc.nat(30)
const anyTripStart = fc.option(anyTime, { nil: null })

describe('Counter shifts', () => {
  const shifts = objectShifts([
    { from: 10, odometer: 5, engineHours: 100 },
    { from: 20, odometer: -2, engineHours: 0 },
  ])
  const STORED = { odometer: 1_000, mileage: 50, engineHours: 3_000 }

  it('apply from their time on, cumulatively', () => {
    const shown = [9, 10, 19, 20, 99].map((time) => shifts.shown(STORED, time, null))
    assert.deepEqual(
      shown.map(({ odometer }) => odometer),
      [1_000, 1_005, 1_005, 1_003, 1_003],
    )
    assert.deepEqual(
      shown.map(({ engineHours }) => engineHours),
      [3_000, 3_100, 3_100, 3_100, 3_100],
    )
  })

  it('apply to the mileage if they are no older than its trip', () => {
    const mileage = (time: number, tripFrom: number | null) =>
      shifts.shown(STORED, time, tripFrom).mileage
    // The trip begins before the first, between both, at the second, and after both.
    assert.deepEqual([mileage(30, 5), mileage(30, 10), mileage(30, 19)], [53, 48, 48])
    assert.deepEqual([mileage(30, 20), mileage(30, 25), mileage(30, null)], [50, 50, 53])
    assert.deepEqual([mileage(9, 5), mileage(15, 5), mileage(15, 10)], [50, 55, 50])
  })

  it('leave unknown values unknown', () => {
    const unknown = { odometer: null, mileage: null, engineHours: null }
    assert.deepEqual(shifts.shown(unknown, 30, 5), unknown)
    assert.deepEqual(shifts.stored(unknown, 30, 5), unknown)
  })

  it('show nothing below 0 during an unfinished recompute', () => {
    const less = objectShifts([{ from: 1, odometer: -7, engineHours: -7 }])
    const shown = less.shown({ odometer: 5, mileage: 8, engineHours: 7 }, 1, null)
    assert.deepEqual(shown, { odometer: 0, mileage: 1, engineHours: 0 })
    const isCut = (odometer: number, mileage: number, time = 1) =>
      less.isCut({ odometer, mileage, engineHours: null }, time, null)
    assert.deepEqual(
      [isCut(6, 8), isCut(8, 6), isCut(7, 7), isCut(6, 8, 0)],
      [true, true, false, false],
    )
  })

  it('are subtracted from a value before it is stored', () => {
    fc.assert(
      fc.property(anyShifts, anyCounters, anyTime, anyTripStart, (all, counters, time, trip) => {
        const applying = objectShifts(all)
        const stored = applying.stored(counters, time, trip)
        assert.deepEqual(applying.shown(stored, time, trip), counters)
        const shown = applying.shown(counters, time, trip)
        assert.deepEqual(applying.stored(shown, time, trip), counters)
      }),
    )
  })

  it('add up all shifts that begin before, at and after a moment', () => {
    fc.assert(
      fc.property(anyShifts, anyTime, anyTime, anyTripStart, (all, time, split, trip) => {
        const counters = { odometer: MANY, mileage: MANY, engineHours: MANY }
        const of = (some: readonly Shift[]) => {
          const shown = objectShifts(some).shown(counters, time, trip)
          return Object.values(shown).map((value) => value! - MANY)
        }
        const earlier = objectShifts(all).before(split).all
        assert.ok(earlier.every(({ from }) => from < split))
        const [a, b, whole] = [of(earlier), of(all.filter(({ from }) => from >= split)), of(all)]
        assert.deepEqual(
          a.map((value, index) => value + b[index]!),
          whole,
        )
      }),
    )
  })
})
