import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  drive,
  driven,
  engineTimeOf,
  type Leg,
  mileageOf,
  odometerOf,
  times,
  vehicle,
} from '../../../../testing/drive-trial.ts'
import type { CounterReading } from '../../../base/domain/position/fold-state.ts'
import { ENGINE_HOURS_PACE, followReading, ODOMETER_PACE } from './counters.ts'

const VAN = vehicle()

describe('Engine hours of the service itself', () => {
  const system = (legs: Leg[]) => drive(VAN, legs).map(({ fold }) => engineTimeOf(fold))

  it('count the time from a fix with the ignition on to the next one', () => {
    const on: Leg = { speed: 0, ignition: true }
    const off: Leg = { speed: 0, ignition: false }
    assert.deepEqual(system([off, on, on, off, off, on]), [0, 0, 10, 20, 20, 20])
  })

  it('count without an ignition while the object moves or idles', () => {
    assert.deepEqual(
      system([{ speed: 0 }, { speed: 36, east: 100 }, { speed: 4 }, { speed: 0 }, { speed: 0 }]),
      [0, 0, 10, 20, 20],
    )
  })

  it('follow the ignition even if the object is towed', () => {
    const towed: Leg = { east: 200, speed: 72, ignition: false }
    assert.deepEqual(system([towed, towed, towed]), [0, 0, 0])
  })

  it('count without a speed as long as a trip lasts', () => {
    const drivenAway = [{}, ...times(60, { after: 1, east: 11 })]
    // Movement is certain at 110 m, after ten seconds.
    assert.equal(engineTimeOf(driven(VAN, drivenAway)), 50)
    const parked = driven(VAN, [...drivenAway, ...times(200, {})])
    // It moves until the fix after the last moving one, and the trip lasts 5 minutes longer.
    assert.equal(engineTimeOf(parked), 50 + 320)
  })

  it('exclude gaps of more than ten minutes', () => {
    const after = (seconds: number) => [{ speed: 36 }, { after: seconds, east: 100, speed: 36 }]
    assert.deepEqual([system(after(600))[1], system(after(601))[1]], [600, 0])
  })

  it('continue from the configured hours, and ignore the device’s', () => {
    const set = vehicle({}, { engineHours: 2 })
    const legs = [
      { speed: 36, engineHours: 500 },
      { east: 100, speed: 36, engineHours: 501 },
    ]
    assert.equal(engineTimeOf(driven(set, legs)), 7_210)
  })
})

describe('Engine hours of the device', () => {
  const object = vehicle({}, { engineHoursType: 'sensor', engineHours: 9 })
  const sensor = (...readings: (number | null)[]) =>
    drive(
      object,
      readings.map((engineHours) => ({ engineHours, after: 3_600 })),
    ).map(({ fold: { engineHours } }) => (engineHours === null ? null : engineHours / 3_600_000))

  it("equal the device's counter, and are unknown before its first value", () => {
    assert.deepEqual(sensor(null, 100, null, 101.5), [null, 100, 100, 101.5])
  })

  it('do not decrease after a reset of the device, nor by noise', () => {
    assert.deepEqual(sensor(100, 101, 0.5, 1, 1.5), [100, 101, 101, 101, 101.5])
    assert.deepEqual(sensor(100, 99.95, 100, 100.2), [100, 100, 100, 100.2])
    assert.deepEqual(sensor(100, 99.75, 100), [100, 100, 100])
  })

  it('treat a single 0 as an unknown value', () => {
    assert.deepEqual(sensor(100, 0, 100.5), [100, 100, 100.5])
  })
})

describe('The odometer of the device', () => {
  const object = vehicle({}, { odometerType: 'sensor', odometer: 9 })
  const sensor = (...readings: (number | null)[]) => kilometres(object, readings)

  it("equals the device's counter, moving or not, and is unknown before its first value", () => {
    assert.deepEqual(sensor(null, 1_000, null, 1_002), [null, 1_000, 1_000, 1_002])
  })

  it('ignores the distance between fixes', () => {
    const legs = [
      { speed: 36, odometer: 50 },
      { east: 100, speed: 36, odometer: 51 },
    ]
    assert.equal(odometerOf(driven(object, legs)), 51_000)
  })

  it('includes the operator’s offset, and is never below 0', () => {
    const replaced = vehicle({}, { odometerType: 'sensor', odometerOffset: 80_000 })
    assert.deepEqual(kilometres(replaced, [12, 13]), [80_012, 80_013])
    const less = vehicle({}, { odometerType: 'sensor', odometerOffset: -100 })
    assert.deepEqual(kilometres(less, [50, 51, 160]), [0, 1, 110])
  })

  it('does not decrease after a reset of the device’s counter', () => {
    assert.deepEqual(sensor(1_000, 1_010, 2, 5, 8), [1_000, 1_010, 1_010, 1_010, 1_013])
  })

  it('remains unchanged if noise lowers the counter for one value', () => {
    assert.deepEqual(sensor(1_000, 999.5, 1_000.5), [1_000, 1_000, 1_000.5])
    assert.deepEqual(sensor(1_000, 999, 1_000), [1_000, 1_000, 1_000])
  })

  it('treats a single 0 as an unknown value', () => {
    assert.deepEqual(sensor(1_000, 0, 0, 1_001), [1_000, 1_000, 1_000, 1_001])
    // A counter after a reset soon shows more.
    assert.deepEqual(sensor(1_000, 0, 3, 4), [1_000, 1_000, 1_000, 1_001])
    assert.deepEqual(sensor(0, 0, 7), [0, 0, 7])
  })

  it('treats a jump that no vehicle drives as another counter, which adds nothing', () => {
    assert.deepEqual(sensor(1, 10_000, 20_000, 20_001, 20_002), [1, 1, 1, 1, 2])
  })

  it('follows the device after initial unknown values', () => {
    assert.deepEqual(sensor(0, 350_000, 350_001), [0, 350_000, 350_001])
  })

  it('never exceeds the maximum of a position', () => {
    const far = vehicle({}, { odometerType: 'sensor', odometerOffset: 99_999_990 })
    assert.deepEqual(kilometres(far, [9, 19, 29]), [99_999_999, 100_000_000, 100_000_000])
  })

  it('determines the mileage of a trip', () => {
    const legs: Leg[] = [
      { speed: 0, odometer: 100 },
      { speed: 36, east: 100, odometer: 100.2 },
      { speed: 36, east: 100, odometer: 100.5 },
      { speed: 0, odometer: 100.5 },
      { speed: 0, after: 301, odometer: 100.5 },
      { speed: 36, east: 100, odometer: 100.6 },
    ]
    const mileages = drive(object, legs).map(({ fold }) => mileageOf(fold))
    assert.deepEqual(mileages, [0, 200, 500, 500, 500, 100])
    const next = [...legs, { speed: 0, after: 301 }, { speed: 0, after: 301 }]
    const again: Leg = { speed: 36, east: 100, odometer: 101.6 }
    assert.equal(mileageOf(driven(object, [...next, again])), 1_000)
  })
})

describe('The odometer as distance source', () => {
  const OWN = { distanceSource: 'odometer' }
  const object = vehicle(OWN)
  const metres = (legs: Leg[]) => drive(object, legs).map(({ fold }) => odometerOf(fold))

  it('counts the increase of the device’s counter while the object moves', () => {
    const legs: Leg[] = [
      { speed: 36, odometer: 700 },
      { speed: 36, east: 100, odometer: 700.12 },
      { speed: 0, east: 50, odometer: 700.18 },
      // Not while it is stopped.
      { speed: 0, odometer: 700.19 },
      { speed: 36, east: 100, odometer: 700.3 },
    ]
    assert.deepEqual(metres(legs), [0, 120, 180, 180, 290])
  })

  it('counts by the fixes if the device sends none', () => {
    const moving: Leg = { speed: 36, east: 100 }
    assert.deepEqual(metres([moving, moving, moving]), [0, 100, 200])
    // There is no increase before the second value.
    assert.deepEqual(metres([moving, { ...moving, odometer: 5 }, moving]), [0, 100, 100])
  })

  it('counts no distance twice if only some fixes have a value', () => {
    const moving: Leg = { speed: 36, east: 100 }
    const withOdometer = (odometer: number): Leg => ({ ...moving, odometer })
    const legs = [withOdometer(50), moving, withOdometer(50.21), moving, moving, withOdometer(50.5)]
    assert.deepEqual(metres(legs), [0, 0, 210, 210, 210, 500])
  })

  it('loses nothing at hidden points', () => {
    const kept = vehicle({ ...OWN, minimumDifferencePoint: 50 })
    const legs = Array.from({ length: 24 }, (_, second) => ({
      ...{ after: 1, east: 11, speed: 36 },
      odometer: 300 + second * 0.011,
    }))
    assert.equal(odometerOf(driven(kept, legs)), 220)
  })

  it('loses nothing at fixes without a speed', () => {
    const legs = Array.from({ length: 61 }, (_, second) => ({
      ...{ after: 1, east: 11 },
      odometer: 300 + second * 0.011,
    }))
    assert.equal(odometerOf(driven(object, legs)), 660)
  })

  it('is not affected by a jump', () => {
    const legs: Leg[] = [
      { speed: 36, odometer: 50 },
      { speed: 36, east: 9_000, odometer: 50.1 },
      { speed: 36, east: -8_800, odometer: 50.2 },
    ]
    assert.deepEqual(metres(legs), [0, 0, 200])
  })
})

/** The odometer at hourly fixes of a stopped object with these values, in km. */
function kilometres(object: ReturnType<typeof vehicle>, readings: (number | null)[]) {
  return drive(
    object,
    readings.map((odometer) => ({ odometer, after: 3_600 })),
  ).map(({ fold }) => (fold.odometer === null ? null : fold.odometer / 1_000_000))
}

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
