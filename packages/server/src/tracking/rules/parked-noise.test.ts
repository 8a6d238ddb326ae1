import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  drive,
  driven,
  engineTimeOf,
  type Leg,
  mileageOf,
  odometerOf,
  since,
  times,
  vehicle,
} from '../../../testing/drive-trial.ts'

const VAN = vehicle()
const PARKED: Leg = { after: 60, speed: 0 }

describe('The noise of a parked device', () => {
  it('neither moves it, nor runs its engine, nor begins a trip', () => {
    const noise: Leg = { after: 60, east: 20, speed: 14 }
    const back: Leg = { after: 60, east: -20, speed: 4 }
    const fold = driven(VAN, [PARKED, ...times(100, noise).flatMap((leg) => [leg, PARKED, back])])
    assert.deepEqual(
      [fold.motion, odometerOf(fold), engineTimeOf(fold), fold.tripFrom, since(fold.anchor.time)],
      ['stopped', 0, 0, null, 0],
    )
  })

  it('is a movement if the ignition is on', () => {
    const forklift: Leg = { east: 5, speed: 6, ignition: true }
    const fold = driven(VAN, [{ ...PARKED, ignition: true }, ...times(4, forklift)])
    assert.deepEqual([fold.motion, odometerOf(fold), since(fold.tripFrom)], ['moving', 20, 10])
  })

  it('counts at the first fix, which has no anchor', () => {
    const fold = driven(VAN, [{ speed: 40 }])
    assert.deepEqual([fold.motion, since(fold.tripFrom)], ['moving', 0])
  })

  it('counts while a trip is under way, and for 5 minutes after it moved', () => {
    const trip: Leg[] = [PARKED, { after: 60, east: 500, speed: 30 }, { after: 60, speed: 0 }]
    const motions = [300, 301].map((after) => driven(VAN, [...trip, { after, speed: 8 }]).motion)
    assert.deepEqual(motions, ['moving', 'stopped'])
  })

  it('does not idle an object that only its ignition stops', () => {
    const byIgnition = vehicle({ stopDetectionMethod: 'ignition' })
    const noise: Leg = { after: 60, speed: 8 }
    assert.equal(driven(byIgnition, [PARKED, noise]).motion, 'idle')
    assert.equal(driven(byIgnition, [PARKED, { ...noise, ignition: false }]).motion, 'stopped')
  })
})

describe('A parked object', () => {
  it('sets out with the first fix away from its anchor that moves', () => {
    const legs: Leg[] = [PARKED, { east: 60, speed: 20 }, { east: 60, speed: 20 }]
    const steps = drive(VAN, legs).map(({ fold }) => [fold.motion, odometerOf(fold)])
    assert.deepEqual(steps, [
      ['stopped', 0],
      ['stopped', 0],
      ['moving', 120],
    ])
    const fold = driven(VAN, legs)
    assert.deepEqual([since(fold.tripFrom), mileageOf(fold), fold.doubtedAt], [20, 120, null])
  })

  it('sets out over the last shown place where its speed was doubted, as a bus turns in its terminal', () => {
    const odometerAfter = (seconds: number, back: Leg, accuracy = {}) => {
      const turning: Leg[] = [PARKED, { east: 80, speed: 20 }]
      return odometerOf(driven(vehicle(accuracy), [...turning, { ...back, after: seconds }]))
    }
    const back: Leg = { east: -200, speed: 20 }
    assert.deepEqual([odometerAfter(300, back), odometerAfter(301, back)], [280, 120])
    // The history hides the doubted place, which adds no distance then.
    assert.equal(odometerAfter(60, back, { minimumDifferencePoint: 90 }), 120)
  })

  it('sets out from its anchor if it was seen elsewhere after the doubted speed', () => {
    const noise: Leg = { after: 60, east: 80, speed: 20 }
    const legs = [
      PARKED,
      noise,
      { after: 60, east: -80, speed: 0 },
      { after: 60, east: 150, speed: 20 },
    ]
    assert.equal(odometerOf(driven(VAN, legs)), 150)
  })

  it('sets out from a fix that confirms another place', () => {
    const far: Leg = { east: 900_000, speed: 30 }
    const legs = [PARKED, { after: 60, east: 80, speed: 20 }, far, { east: 200, speed: 30 }]
    assert.equal(odometerOf(driven(VAN, legs)), 200)
  })

  it('sets out with one that has travelled', () => {
    const fold = driven(VAN, [PARKED, PARKED, { after: 60, east: 300, speed: 0 }])
    assert.deepEqual([odometerOf(fold), since(fold.tripFrom)], [300, 120])
  })

  it('sets out with a slow one if a doubted speed came up to 5 minutes before it', () => {
    const after = (seconds: number, more: Leg = {}) =>
      driven(VAN, [
        PARKED,
        { east: 60, speed: 20, ...more },
        { after: seconds, east: 60, ...more, speed: 0 },
      ])
    assert.deepEqual(
      [after(300), after(301)].map((fold) => [odometerOf(fold), since(fold.tripFrom)]),
      [
        [120, 310],
        [0, null],
      ],
    )
    const off = [
      { ...PARKED, ignition: false },
      { east: 60, speed: 20, ignition: false },
    ]
    const drifted = driven(VAN, [...off, { after: 200, east: 60, speed: 0, ignition: false }])
    assert.equal(odometerOf(drifted), 0)
  })

  it('gets another anchor, and no distance, if it drifts slowly out of the circle', () => {
    const fold = driven(VAN, [PARKED, ...times(9, { after: 600, east: 30, speed: 1 })])
    assert.deepEqual([odometerOf(fold), fold.tripFrom], [0, null])
    assert.equal(since(fold.anchor.time), 8 * 600)
  })
})
