import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  drive,
  driven,
  type Leg,
  mileageOf,
  odometerOf,
  since,
  times,
  vehicle,
} from '../../../../testing/drive-trial.ts'

const VAN = vehicle()
const DRIVING: Leg = { after: 60, east: 500, speed: 30 }
const SLOW: Leg = { after: 45 * 60, east: 30, speed: 15 }

describe('A slow leg', () => {
  it('ends the trip at its beginning and counts nothing, whatever speeds its ends report', () => {
    const fold = driven(VAN, [DRIVING, DRIVING, SLOW])
    assert.equal(fold.silence?.before, 'slow leg')
    assert.deepEqual([fold.motion, odometerOf(fold), since(fold.activeAt)], ['stopped', 500, 60])
    const on = driven(VAN, [DRIVING, DRIVING, { ...SLOW, ignition: true }])
    assert.deepEqual([on.silence?.before, on.motion, odometerOf(on)], ['slow leg', 'idle', 500])
  })

  it('lets the next movement count the chord from its beginning', () => {
    for (const ignition of [null, true]) {
      const fold = driven(VAN, [DRIVING, DRIVING, { ...SLOW, ignition }, { ...DRIVING, ignition }])
      assert.deepEqual([odometerOf(fold), mileageOf(fold)], [1_030, 530])
    }
    const slow = { ...SLOW, east: 400 }
    assert.equal(odometerOf(driven(VAN, [DRIVING, DRIVING, slow, DRIVING])), 1_400)
    assert.equal(odometerOf(driven(VAN, [DRIVING, DRIVING, slow])), 500)
  })

  it('is longer than 5 minutes and slower than 1 km/h', () => {
    const isSlow = (after: number, east: number) =>
      driven(VAN, [DRIVING, { after, east, speed: 20 }]).silence !== null
    assert.deepEqual([isSlow(300, 0), isSlow(301, 0)], [false, true])
    assert.deepEqual([isSlow(3_600, 999), isSlow(3_600, 1_001)], [true, false])
    // 600 m in ten minutes of a jam are driving.
    assert.equal(isSlow(600, 600), false)
  })

  it('is a movement if the odometer of the device gained more: the object drove in a circle', () => {
    const gained = (metres: number) => {
      const legs = [
        { ...DRIVING, odometer: 100 },
        { ...DRIVING, odometer: 100.5 },
        { ...SLOW, odometer: 100.5 + metres / 1_000 },
      ]
      return driven(VAN, legs).silence?.before
    }
    assert.deepEqual([gained(700), gained(800)], ['slow leg', undefined])
  })

  it('is part of the stop of a stationary object, and keeps its idle time', () => {
    const stand: Leg = { after: 600, east: 20, speed: 0, ignition: true }
    const steps = drive(VAN, times(5, stand)).map(({ fold }) => [fold.motion, fold.silence])
    assert.deepEqual(
      steps,
      times(5, stand).map(() => ['idle', null]),
    )
    const setsOut = driven(VAN, [stand, { ...stand, speed: 20 }])
    assert.deepEqual([setsOut.motion, setsOut.silence, odometerOf(setsOut)], ['idle', null, 0])
  })

  it('is drift, if the object is stationary at both ends', () => {
    const fold = driven(VAN, [{ speed: 0 }, { after: 3_600, east: 150, speed: 0 }])
    assert.deepEqual([odometerOf(fold), since(fold.anchor.time)], [0, 3_600])
    const noise: Leg[] = [{ speed: 0 }, { after: 3_600, east: 150, speed: 8 }]
    const { motion, odometer, anchor } = driven(VAN, noise)
    assert.deepEqual([motion, odometer, since(anchor.time)], ['stopped', 0, 0])
    // Nothing confirms that speed but another movement.
    assert.equal(odometerOf(driven(VAN, [...noise, { after: 60, speed: 0 }])), 0)
  })
})

describe('The way that an ended trip has not counted', () => {
  const wide = vehicle({ minimumDifferencePoint: 250 })
  const standing: Leg = { after: 200, speed: 0, ignition: true }
  const parked = [DRIVING, DRIVING, { ...DRIVING, east: 200 }, ...times(3, standing)]
  const drifted: Leg = { after: 60, east: 60, speed: 0, ignition: true }

  it('belongs to no stop, and is part of the chord of the next movement', () => {
    const fold = driven(wide, [...parked, drifted])
    assert.deepEqual([odometerOf(fold), since(fold.anchor.time)], [500, 60])
    assert.equal(odometerOf(driven(wide, [...parked, drifted, DRIVING])), 1_260)
    // While the trip is open, it counts.
    assert.equal(odometerOf(driven(wide, [...parked.slice(0, 4), drifted])), 760)
  })

  it('is forgotten if the object is carried away', () => {
    const carried = driven(wide, [...parked, { ...drifted, after: 3_000, east: 900 }])
    assert.deepEqual([odometerOf(carried), carried.anchor.time], [500, carried.at])
    const towed: Leg = { after: 60, east: 400, speed: 0, ignition: false }
    const off = parked.map((leg) => (leg.speed === 0 ? { ...leg, ignition: false } : leg))
    assert.equal(odometerOf(driven(wide, [...off, towed, { ...DRIVING, ignition: false }])), 1_000)
  })
})
