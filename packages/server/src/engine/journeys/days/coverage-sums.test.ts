import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { DaySum, type SummedRow } from './coverage-sums.ts'

const known = (value: fc.Arbitrary<number>) => fc.option(value)
const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) })
const degrees = (most: number) =>
  fc.integer({ min: -most * 1e7, max: most * 1e7 }).map((n) => n / 1e7)
const measure = known(fc.integer({ min: 0, max: 1e9 }).map((n) => n / 100))
const counter = known(fc.integer({ min: 0, max: 2 ** 48 - 1 }))
const anyRow: fc.Arbitrary<SummedRow> = fc.record({
  ...{ id: fc.nat(), timeDevice: time, timeServer: time },
  ...{ latitude: degrees(90), longitude: degrees(180) },
  ...{ altitude: measure, angle: measure, speed: measure },
  ...{ odometerMm: counter, mileageMm: counter, engineHoursMs: counter },
})

const iso = (moment: number) => new Date(moment).toISOString()

/** Members are in the order of their names here, so the text is in the form of RFC 8785. */
function sumOf(objects: readonly object[]): string {
  const hashes = objects.map((each) =>
    BigInt(`0x${createHash('sha256').update(JSON.stringify(each)).digest('hex')}`),
  )
  const sum = hashes.reduce((total, each) => total + each, 0n) % 2n ** 256n
  return sum.toString(16).padStart(64, '0')
}

it('digests are plain sums, in any order', () => {
  const shuffled = fc
    .array(anyRow, { minLength: 1, maxLength: 40 })
    .chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    )
  fc.assert(
    fc.property(shuffled, ([rows, others]) => {
      const [sum, other] = [new DaySum(), new DaySum()]
      for (const row of rows) sum.add(row)
      for (const row of others) other.add(row)
      const { digest, countersDigest } = sum.result()!
      assert.equal(
        digest,
        sumOf(
          rows.map(({ altitude, angle, id, latitude, longitude, speed, ...row }) => ({
            ...{ altitude, angle, id, latitude, longitude, speed },
            time_device: iso(row.timeDevice),
            time_server: iso(row.timeServer),
          })),
        ),
      )
      assert.equal(
        countersDigest,
        sumOf(
          rows.map(({ id, engineHoursMs, mileageMm, odometerMm, timeDevice }) => ({
            exact: {
              engine_hours_ms: engineHoursMs,
              mileage_mm: mileageMm,
              odometer_mm: odometerMm,
            },
            ...{ id, time_device: iso(timeDevice) },
          })),
        ),
      )
      assert.equal(other.result()!.digest, digest)
      assert.equal(other.result()!.countersDigest, countersDigest)
    }),
    { numRuns: 200 },
  )
})

it('a day without positions has no content', () => {
  assert.equal(new DaySum().result(), null)
})
