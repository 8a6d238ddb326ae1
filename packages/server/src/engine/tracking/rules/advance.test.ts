import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  drive,
  driven,
  type Leg,
  mileageOf,
  odometerOf,
  START,
  since,
  times,
  vehicle,
} from '../../../../testing/drive-trial.ts'
import { ACCURACY_DEFAULTS, type Accuracy } from '../../../base/domain/monitored-object.ts'
import { bareFix } from '../../../base/domain/position/fix.ts'
import type { Motion } from '../../../base/domain/position/fold-state.ts'
import { motionOf } from './advance.ts'
import { believedSpeed } from './not-driving.ts'

const VAN = vehicle()

describe('The distance', () => {
  it('equals the one between the fixes of a moving object, at one a second and at one in two minutes', () => {
    const second: Leg = { after: 1, east: 10, speed: 36 }
    assert.equal(odometerOf(driven(VAN, [second, ...times(120, second)])), 1_200)
    const twoMinutes: Leg = { after: 120, east: 1_200, speed: 36 }
    assert.equal(odometerOf(driven(VAN, [twoMinutes, ...times(10, twoMinutes)])), 12_000)
  })

  it('includes the leg from a standstill to the first moving fix, and from the last one to the standstill', () => {
    const legs = [{ speed: 0 }, { east: 140, speed: 20 }, { east: 30, speed: 0 }, { speed: 0 }]
    assert.deepEqual(
      drive(VAN, legs).map(({ fold }) => odometerOf(fold)),
      [0, 140, 170, 170],
    )
  })

  it('excludes the drift of an object that is stopped by its speed', () => {
    const there: Leg = { east: 30, speed: 2 }
    const back: Leg = { east: -30, speed: 0 }
    const fold = driven(VAN, [{ speed: 0 }, ...times(500, there).flatMap((leg) => [leg, back])])
    assert.deepEqual([odometerOf(fold), fold.tripFrom], [0, null])
  })

  it('excludes the drift of an object with unknown speed', () => {
    const wandering = [20, 30, -60, 40, 45, -90, 15].map((east): Leg => ({ east }))
    const fold = driven(VAN, [{}, ...times(100, {}).flatMap(() => wandering)])
    assert.deepEqual([odometerOf(fold), fold.motion, fold.tripFrom], [0, null, null])
  })

  it('excludes even a large drift with the ignition off', () => {
    for (const speed of [null, 0]) {
      const out: Leg = { east: 180, speed, ignition: false }
      const back: Leg = { east: -180, speed, ignition: false }
      const legs = [{ speed, ignition: false }, ...times(50, out).flatMap((leg) => [leg, back])]
      const fold = driven(VAN, legs)
      assert.deepEqual([odometerOf(fold), fold.motion], [0, 'stopped'])
    }
  })

  it('grows without a speed whenever it exceeds the drift', () => {
    const fold = driven(VAN, [{}, ...times(60, { after: 1, east: 11 })])
    assert.equal(odometerOf(fold), 660)
    const slow = driven(VAN, [{}, ...times(10, { after: 120, east: 1_000 })])
    assert.equal(odometerOf(slow), 10_000)
    // Omits at most as much as the drift.
    const rest = driven(VAN, [{}, ...times(9, { east: 40 })])
    assert.equal(odometerOf(rest), 360)
    assert.equal(odometerOf(driven(VAN, [{}, ...times(10, { east: 40 })])), 360)
  })

  it('grows between standstills if the object has clearly moved', () => {
    // Two minutes apart at red lights.
    const legs = [{ speed: 0 }, { after: 120, east: 800, speed: 0 }]
    assert.equal(odometerOf(driven(VAN, legs)), 800)
    // But 150 m in an hour are not a drive.
    assert.equal(odometerOf(driven(VAN, [{ speed: 0 }, { after: 3_600, east: 150, speed: 0 }])), 0)
  })

  it('does not grow on a ferry with the ignition off, unless a speed shows movement', () => {
    const afloat: Leg = { after: 600, east: 4_000, ignition: false }
    assert.equal(odometerOf(driven(VAN, [afloat, ...times(5, { ...afloat, speed: 0 })])), 0)
    assert.equal(odometerOf(driven(VAN, [afloat, ...times(5, { ...afloat, speed: 24 })])), 20_000)
  })

  it('crosses a gap in a straight line', () => {
    const legs = [{ speed: 80 }, { after: 2 * 3_600, east: 100_000, speed: 80 }]
    assert.equal(odometerOf(driven(VAN, legs)), 100_000)
  })

  it('continues from the configured odometer', () => {
    const set = vehicle({}, { odometer: 12.5 })
    assert.equal(odometerOf(driven(set, [{ speed: 36 }, { east: 100, speed: 36 }])), 12_600)
  })
})

describe('A jump', () => {
  const DRIVING: Leg = { east: 100, speed: 36 }

  it('adds no distance for a single fix', () => {
    const legs = [DRIVING, DRIVING, { east: 9_000, speed: 36 }, { east: -8_800, speed: 36 }]
    const steps = drive(VAN, legs)
    assert.deepEqual(
      steps.map(({ fold }) => odometerOf(fold)),
      [0, 100, 100, 300],
    )
    assert.deepEqual(
      steps.map(({ fold }) => fold.suspect !== null),
      [false, false, true, false],
    )
    assert.ok(
      steps.every(({ hidden }) => !hidden),
      'history shows it',
    )
  })

  it('does not change the position of the object', () => {
    const { shown, last } = driven(VAN, [DRIVING, DRIVING, { east: 9_000 }])
    assert.deepEqual([since(shown.time), since(last.time)], [10, 10])
  })

  it('adds no distance for several fixes that contradict each other', () => {
    const legs = [
      DRIVING,
      { east: 9_000, speed: 36 },
      { east: 50_000 },
      { east: -58_700, speed: 36 },
    ]
    const fold = driven(VAN, legs)
    assert.deepEqual([odometerOf(fold), fold.suspect], [300, null])
  })

  it('there and back, of two fixes that confirm each other, adds the distance between them', () => {
    const legs = [
      DRIVING,
      { east: 9_000, speed: 36 },
      { east: 100, speed: 36 },
      { east: -9_000, speed: 36 },
      { east: 100, speed: 36 },
    ]
    assert.equal(odometerOf(driven(VAN, legs)), 200)
  })

  it('is a change of place if the next fix confirms it, without distance', () => {
    const legs = [DRIVING, DRIVING, { east: 500_000, speed: 36 }, DRIVING, DRIVING]
    const { suspect, last, shown, ...track } = driven(VAN, legs)
    assert.deepEqual([odometerOf({ suspect, last, shown, ...track }), suspect], [300, null])
    assert.deepEqual([since(last.time), since(shown.time)], [40, 40])
  })

  it('makes a wrong first fix irrelevant', () => {
    const legs = [DRIVING, { east: 5_000_000, speed: 36 }, DRIVING, DRIVING]
    assert.equal(odometerOf(driven(VAN, legs)), 200)
  })

  it('needs more than 200 m, and more than 250 km/h', () => {
    const isJump = (after: number, east: number) =>
      driven(VAN, [DRIVING, { after, east, speed: 36 }]).suspect !== null
    assert.deepEqual([isJump(1, 199), isJump(1, 201)], [false, true])
    // 250 km/h are 69.4 m in a second.
    assert.deepEqual([isJump(10, 694), isJump(10, 695)], [false, true])
  })

  it('does not move an object that is stopped, regardless of its speed', () => {
    const still: Leg = { speed: 0, ignition: false }
    const legs = [DRIVING, { east: 10, ...still }, ...times(60, still)]
    const before = driven(VAN, legs)
    const jump: Leg = { east: 9_000, speed: 80, ignition: false }
    const after = driven(VAN, [...legs, jump, { east: -8_995, ...still }])
    assert.equal(after.motion, 'stopped')
    assert.deepEqual(
      [after.odometer, after.mileage, after.tripFrom, after.activeAt],
      [before.odometer, before.mileage, before.tripFrom, before.activeAt],
    )
  })
})

describe('An impossible speed', () => {
  it('counts as unknown: 410 km/h is the 255 mph of a sensor error', () => {
    const absurd = times(60, { speed: 410 })
    const fold = driven(VAN, [{ speed: 0 }, ...absurd])
    assert.deepEqual([odometerOf(fold), fold.motion, fold.tripFrom], [0, null, null])
    const ignition = driven(VAN, [{ speed: 0 }, { speed: 410, ignition: true }])
    assert.equal(ignition.motion, 'idle')
    const moving = driven(VAN, [{ speed: 36 }, { after: 60, east: 600, speed: 410 }])
    assert.deepEqual([odometerOf(moving), moving.motion], [600, 'moving'])
  })
})

describe('A trip', () => {
  const DRIVING: Leg = { east: 100, speed: 36 }
  const STANDING: Leg = { speed: 0 }

  it('begins with the first moving fix, and includes the leg to it', () => {
    const fold = driven(VAN, [STANDING, STANDING, DRIVING, DRIVING])
    assert.deepEqual([since(fold.tripFrom), mileageOf(fold)], [20, 200])
  })

  it('begins with an object’s first fix if that is moving', () => {
    const fold = driven(VAN, [DRIVING, DRIVING])
    assert.deepEqual([since(fold.tripFrom), mileageOf(fold)], [0, 100])
  })

  it('continues after a pause of five minutes, and ends after a longer one', () => {
    const trips = [300, 301].map((pause) => {
      const legs = [DRIVING, DRIVING, { east: 20, speed: 0 }, { ...STANDING, after: pause - 10 }]
      return driven(VAN, [...legs, { ...DRIVING, after: 10 }])
    })
    assert.deepEqual(
      trips.map(({ tripFrom }) => since(tripFrom)),
      [0, 321],
    )
    assert.deepEqual(trips.map(mileageOf), [220, 100])
    assert.deepEqual(trips.map(odometerOf), [220, 220])
  })

  it('keeps its mileage after its end until the next one', () => {
    const legs = [DRIVING, DRIVING, DRIVING, ...times(100, STANDING)]
    const parked = driven(VAN, legs)
    assert.deepEqual([since(parked.tripFrom), mileageOf(parked)], [0, 200])
    const next = driven(VAN, [...legs, DRIVING])
    assert.deepEqual([mileageOf(next), odometerOf(next)], [100, 300])
  })

  it('does not begin when an object that was last seen moving appears near that place in the morning', () => {
    const night = 10 * 3_600
    const evening = [DRIVING, DRIVING, DRIVING]
    const found = driven(VAN, [...evening, { after: night, east: 20, speed: 0 }])
    assert.deepEqual([since(found.tripFrom), mileageOf(found)], [0, 200])
    const legs = [...evening, { after: night, east: 20, speed: 0 }, { ...DRIVING, after: 60 }]
    const away = driven(VAN, legs)
    // The distance that nobody saw belongs to the next trip.
    assert.deepEqual([since(away.tripFrom), mileageOf(away)], [night + 80, 120])
  })

  it('without a speed lasts as long as the distance exceeds the drift', () => {
    const fold = driven(VAN, [{}, ...times(100, { after: 30, east: 250 }), ...times(20, {})])
    assert.deepEqual([since(fold.tripFrom), mileageOf(fold)], [30, 25_000])
  })
})

describe('The minimum difference between points', () => {
  const KEPT_APART = vehicle({ minimumDifferencePoint: 50 })
  const hiddenOf = (legs: Leg[]) => drive(KEPT_APART, legs).map(({ hidden }) => hidden)

  it('hides fixes near the last shown point, not near the previous fix', () => {
    const legs = [{}, { east: 20 }, { east: 20 }, { east: 20 }, { east: 49 }, { east: 2 }]
    assert.deepEqual(hiddenOf(legs), [false, true, true, false, true, false])
  })

  it('never hides the first, nor anything if it is 0', () => {
    assert.deepEqual(hiddenOf([{}]), [false])
    assert.ok(drive(VAN, times(5, { speed: 0 })).every(({ hidden }) => !hidden))
  })

  it('loses no distance: the distance counts between shown points', () => {
    const legs = [{ speed: 36 }, ...times(23, { after: 1, east: 11, speed: 36 })]
    const fold = driven(KEPT_APART, legs)
    assert.equal(odometerOf(fold), 220)
    assert.equal(since(fold.shown.time), 20)
    const stopping = [...legs, { east: 11, speed: 0 }, { east: 11, speed: 0 }]
    assert.equal(odometerOf(driven(KEPT_APART, stopping)), 275)
  })

  it('keeps a hidden fix out of the object’s position, but not out of its motion', () => {
    const legs = [
      { speed: 0 },
      { east: 10, speed: 20, ignition: true },
      { speed: 0, ignition: true },
    ]
    const motions = drive(KEPT_APART, legs).map(({ fold }) => fold.motion)
    assert.deepEqual(motions, ['stopped', 'moving', 'idle'])
    assert.equal(driven(KEPT_APART, legs).shown.time, START)
  })
})

type Case = [speed: number | null, ignition: boolean | null, motion: Motion | null]

function assertMotions(accuracy: Partial<Accuracy>, cases: Case[], travelled = false): void {
  for (const [speed, ignition, motion] of cases) {
    const fix = { ...bareFix(0, 0, 1, 1), speed, ignition }
    const actual = motionOf(fix, { ...ACCURACY_DEFAULTS, ...accuracy }, travelled)
    assert.equal(actual, motion, `${speed} km/h, ignition ${ignition}`)
  }
}

describe('The motion of a fix', () => {
  it('follows the speed, and below the movement threshold the ignition', () => {
    assertMotions({}, [
      [5, null, 'moving'],
      [5, false, 'moving'],
      [4.999999, true, 'idle'],
      [4.999999, false, 'stopped'],
      [0, true, 'idle'],
      [0, false, 'stopped'],
    ])
  })

  it('follows the idle threshold if the ignition is unknown', () => {
    assertMotions({}, [
      [4.999999, null, 'idle'],
      [3.000001, null, 'idle'],
      [3, null, 'stopped'],
      [0, null, 'stopped'],
    ])
  })

  it('is unknown only if both are', () => {
    assertMotions({}, [
      [null, null, null],
      [null, true, 'idle'],
      [null, false, 'stopped'],
    ])
  })

  it('is stopped only with the ignition off if stops are detected by it', () => {
    assertMotions({ stopDetectionMethod: 'ignition' }, [
      [0, null, 'idle'],
      [0, true, 'idle'],
      [0, false, 'stopped'],
      [50, false, 'moving'],
      [null, null, null],
    ])
  })

  it('follows the object’s own thresholds', () => {
    assertMotions({ minimumMovingSpeed: 20, idleSpeedThreshold: 0 }, [
      [20, null, 'moving'],
      [19, null, 'idle'],
      [0, null, 'stopped'],
    ])
  })

  it('follows the position while the speed is unknown', () => {
    assertMotions(
      {},
      [
        [null, null, 'moving'],
        [null, true, 'moving'],
        // The ignition is off: it is towed, or shipped.
        [null, false, 'stopped'],
        [0, null, 'stopped'],
        [0, true, 'idle'],
      ],
      true,
    )
  })

  it('treats a speed above 250 km/h as unknown', () => {
    assert.equal(believedSpeed({ ...bareFix(0, 0, 1, 1), speed: 250 }), 250)
    assert.equal(believedSpeed({ ...bareFix(0, 0, 1, 1), speed: 250.1 }), null)
    assertMotions({}, [
      [250, null, 'moving'],
      [410, null, null],
      [410, true, 'idle'],
      [410, false, 'stopped'],
    ])
  })
})
