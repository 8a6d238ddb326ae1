import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { foldWith } from '../../../testing/fold-with.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { packRowFold } from '../tracking/stored-position.ts'
import { runAwaiting, type Work } from '../tracking/work.ts'
import { earlierTrips, type TripReader } from './shown-row.ts'

const still = foldWith({ odometer: null, mileage: null, engineHours: null })

/** A position, and when its trip began. */
type Row = { time: number; began: number | null }

/** Trips that follow each other: a new one begins where a draw is true. */
const anyTrips = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }).map((draws) => {
  let began = 1
  return draws.map((isNew, index): Row => {
    if (isNew) began = index + 1
    return { time: index + 1, began }
  })
})
/** Some rows have been folded again, and others have not. */
const anyMixed = fc
  .array(fc.option(fc.nat(30)), { minLength: 1, maxLength: 30 })
  .map((begins) => begins.map((began, index): Row => ({ time: index + 1, began })))
const anyTime = fc.integer({ min: 1, max: 32 })

for (const [name, rows, isMarked] of [
  ['that needs no fold', anyTrips, false],
  ['that waits for a fold', anyMixed, true],
] as const) {
  it(`Earlier trips of an object ${name} are those of its rows, one by one`, async () => {
    await fc.assert(
      fc.asyncProperty(rows, anyTime, fc.option(anyTime), async (all, from, tripsSince) => {
        const reader = readerOf(all, isMarked)
        const ranges = await runAwaiting(earlierTrips(reader, from, tripsSince))
        const found = all.filter(({ time }) => ranges.some((r) => time >= r.from && time <= r.to))
        const expected = all.filter(({ time, began }) => {
          if (time < from) return false
          if (began === null) return tripsSince === null
          return began < from && (tripsSince === null || began >= tripsSince)
        })
        assert.deepEqual(found, expected)
      }),
      { numRuns: 500 },
    )
  })
}

function readerOf(rows: readonly Row[], isMarked: boolean): TripReader {
  const stored = rows.map(({ time, began }) => ({ time, track: trackOf(time, began) }))
  return {
    isMarked: () => read(isMarked),
    since: (from, limit) => read(stored.filter(({ time }) => time >= from).slice(0, limit)),
    newest: () => read(rows.at(-1)?.time ?? null),
  }
}

function* read<T>(value: T): Work<T> {
  yield Promise.resolve()
  return value
}

function trackOf(time: number, tripFrom: number | null): Uint8Array {
  return packRowFold({ ...still, at: time, tripFrom }, bareFix(time, time, 1, 1))
}
