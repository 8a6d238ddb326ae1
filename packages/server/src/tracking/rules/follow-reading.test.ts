import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CounterReading } from '../../domain/position/fold-state.ts'
import { ENGINE_HOURS_PACE, followReading, ODOMETER_PACE } from './follow-reading.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const KM = 1_000_000

type Read = readonly [minute: number, km: number]

/** Km that an odometer counted at each reading: minute and km. */
function counted(...readings: Read[]): number[] {
  let known: CounterReading | null = null
  let sum = 0
  return readings.map(([minute, km]) => {
    const step = followReading(known, Math.round(km * KM), minute * MINUTE, ODOMETER_PACE)
    known = step.reading
    sum += step.gain
    return sum / KM
  })
}

describe("A device's own odometer", () => {
  it('adds nothing at error values', () => {
    const errors = [6825, 6826, 6553.5, 6828, 6553.5, 6830, 6553.5, 6832]
    const by = counted(...errors.map((km, minute) => [minute, km] as const))
    assert.deepEqual(by, [0, 1, 1, 3, 3, 5, 5, 7])
    assert.deepEqual(counted([0, 50], [1, 16_777.215], [2, 52]), [0, 0, 2])
  })

  it('counts from 0 after a reboot, comes back, and takes nothing twice', () => {
    const first: Read[] = [
      [0, 1_000],
      [10, 1_010],
      [20, 1_020],
    ]
    const reboot: Read[] = [
      [1_420, 0.1],
      [1_421, 0.3],
      [1_422, 0.8],
    ]
    assert.deepEqual(
      counted(...first, ...reboot, [1_423, 1_020.9], [1_424, 1_021]),
      [0, 10, 20, 20, 20, 20.5, 20.9, 21],
    )
    // It comes back with less than what was counted: nothing is taken back.
    assert.deepEqual(
      counted(...first, [1_420, 0], [1_421, 0], [1_422, 2], [1_423, 1_021]).slice(3),
      [20, 20, 22, 22],
    )
  })

  it('was replaced if it does not come back within seven days', () => {
    const week = (DAY / MINUTE) * 7
    const drop: Read[] = [
      [0, 100_000],
      [1, 1],
      [2, 2],
      [3, 3],
    ]
    assert.deepEqual(counted(...drop, [1 + week, 100_003]), [0, 0, 0, 1, 3])
    assert.deepEqual(counted(...drop, [2 + week, 100_003]), [0, 0, 0, 1, 1])
  })

  it('gains nothing from readings that alternate between two values', () => {
    for (const apart of [0.1, 2]) {
      const pairs = [100, 100, 100 + apart, 100 + apart]
      const readings = Array.from(
        { length: 400 },
        (_, minute): Read => [minute, pairs[minute % 4]!],
      )
      assert.equal(counted(...readings, [400, 100 + apart + 0.5]).at(-1), apart + 0.5)
    }
  })

  it('loses at most one gain to an old counter that it passes within seven days', () => {
    const passing: Read[] = [
      [0, 50],
      [10, 0],
      [20, 20],
      [30, 40],
      [40, 60],
      [50, 80],
    ]
    assert.deepEqual(counted(...passing), [0, 0, 0, 20, 20, 40])
  })

  it('grows by 250 km/h since it last grew, and by 1 km in addition', () => {
    assert.deepEqual(counted([0, 5], [60, 256], [60, 257]), [0, 251, 252])
    assert.deepEqual(counted([0, 5], [60, 256.001]), [0, 0])
    // It has steps of 5 km: five minutes without growth do not hold up the next step.
    assert.deepEqual(counted([0, 5], [1, 5], [2, 10], [3, 10]), [0, 0, 5, 5])
  })

  it('is another one if two values follow each other elsewhere', () => {
    assert.deepEqual(counted([0, 100], [1, 900_000], [2, 900_001], [3, 900_002]), [0, 0, 0, 1])
    // Neither value of another place confirms the other.
    assert.deepEqual(counted([0, 100], [1, 900], [2, 300], [3, 101]), [0, 0, 0, 1])
    // A counter that was left upwards is not restored.
    assert.deepEqual(counted([0, 100], [1, 9_000], [2, 9_001], [3, 102]), [0, 0, 0, 0])
  })

  it('is known from the first value that is not 0', () => {
    const unknown = followReading(null, 0, 0, ODOMETER_PACE)
    const still = followReading(unknown.reading, 0, MINUTE, ODOMETER_PACE)
    const known = followReading(still.reading, 350_000 * KM, 2 * MINUTE, ODOMETER_PACE)
    const grown = followReading(still.reading, 2 * KM, 2 * MINUTE, ODOMETER_PACE)
    const all = [unknown, still, known, grown].map(({ gain, isOwn }) => [gain, isOwn])
    const expected = [
      ...[[0, true] as const, [0, false] as const, [0, true] as const],
      [2 * KM, false] as const,
    ]
    assert.deepEqual(all, expected)
    assert.deepEqual(known.reading, {
      ...{ value: 350_000 * KM, grewAt: 2 * MINUTE, doubted: null, before: null },
    })
  })
})

describe("A device's own engine hours", () => {
  it('grow as fast as the clock since they last grew, and by six minutes in addition', () => {
    const gainOf = (minutes: number, after: number) => {
      const { reading } = followReading(null, 5 * MINUTE, 0, ENGINE_HOURS_PACE)
      return followReading(reading, (5 + minutes) * MINUTE, after * MINUTE, ENGINE_HOURS_PACE).gain
    }
    assert.deepEqual([gainOf(16, 10), gainOf(16.001, 10)], [16 * MINUTE, 0])
  })
})
