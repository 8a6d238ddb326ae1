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
} from './drive-trial.ts'

const VAN = vehicle()

describe('The distance', () => {
  it('is that between the fixes of a moving object, at one a second as at one in two minutes', () => {
    const second: Leg = { after: 1, east: 10, speed: 36 }
    assert.equal(odometerOf(driven(VAN, [second, ...times(120, second)])), 1_200)
    const twoMinutes: Leg = { after: 120, east: 1_200, speed: 36 }
    assert.equal(odometerOf(driven(VAN, [twoMinutes, ...times(10, twoMinutes)])), 12_000)
  })

  it('counts the way from a standstill to where it moves, and from there to where it stands', () => {
    const legs = [{ speed: 0 }, { east: 40, speed: 20 }, { east: 30, speed: 0 }, { speed: 0 }]
    assert.deepEqual(
      drive(VAN, legs).map(({ track }) => odometerOf(track)),
      [0, 40, 70, 70],
    )
  })

  it('does not count the drift of an object that stands, by its speed', () => {
    const there: Leg = { east: 30, speed: 2 }
    const back: Leg = { east: -30, speed: 0 }
    const track = driven(VAN, [{ speed: 0 }, ...times(500, there).flatMap((leg) => [leg, back])])
    assert.deepEqual([odometerOf(track), track.tripFrom], [0, null])
  })

  it('does not count the drift of an object whose speed is unknown', () => {
    const wandering = [20, 30, -60, 40, 45, -90, 15].map((east): Leg => ({ east }))
    const track = driven(VAN, [{}, ...times(100, {}).flatMap(() => wandering)])
    assert.deepEqual([odometerOf(track), track.motion, track.tripFrom], [0, null, null])
  })

  it('does not count even a wide drift where the ignition is off', () => {
    for (const speed of [null, 0]) {
      const out: Leg = { east: 180, speed, ignition: false }
      const back: Leg = { east: -180, speed, ignition: false }
      const legs = [{ speed, ignition: false }, ...times(50, out).flatMap((leg) => [leg, back])]
      const track = driven(VAN, legs)
      assert.deepEqual([odometerOf(track), track.motion], [0, 'stopped'])
    }
  })

  it('without a speed is counted each time that it exceeds the drift', () => {
    const track = driven(VAN, [{}, ...times(60, { after: 1, east: 11 })])
    assert.equal(odometerOf(track), 660)
    const slow = driven(VAN, [{}, ...times(10, { after: 120, east: 1_000 })])
    assert.equal(odometerOf(slow), 10_000)
    // Which leaves out no more than what is within the drift.
    const rest = driven(VAN, [{}, ...times(9, { east: 40 })])
    assert.equal(odometerOf(rest), 360)
    assert.equal(odometerOf(driven(VAN, [{}, ...times(10, { east: 40 })])), 360)
  })

  it('between standstills counts where the object has evidently gone somewhere', () => {
    // Two minutes apart at red lights.
    const legs = [{ speed: 0 }, { after: 120, east: 800, speed: 0 }]
    assert.equal(odometerOf(driven(VAN, legs)), 800)
    // But 150 m in an hour are no drive.
    assert.equal(odometerOf(driven(VAN, [{ speed: 0 }, { after: 3_600, east: 150, speed: 0 }])), 0)
  })

  it('on a ferry, with the ignition off, is not counted unless a speed says so', () => {
    const afloat: Leg = { after: 600, east: 4_000, ignition: false }
    assert.equal(odometerOf(driven(VAN, [afloat, ...times(5, { ...afloat, speed: 0 })])), 0)
    assert.equal(odometerOf(driven(VAN, [afloat, ...times(5, { ...afloat, speed: 24 })])), 20_000)
  })

  it('is counted across a gap in a straight line', () => {
    const legs = [{ speed: 80 }, { after: 2 * 3_600, east: 100_000, speed: 80 }]
    assert.equal(odometerOf(driven(VAN, legs)), 100_000)
  })

  it('goes on from the odometer that was set', () => {
    const set = vehicle({}, { odometer: 12.5 })
    assert.equal(odometerOf(driven(set, [{ speed: 36 }, { east: 100, speed: 36 }])), 12_600)
  })
})

describe('A jump', () => {
  const DRIVING: Leg = { east: 100, speed: 36 }

  it('of a single fix is left out of the way', () => {
    const legs = [DRIVING, DRIVING, { east: 9_000, speed: 36 }, { east: -8_800, speed: 36 }]
    const steps = drive(VAN, legs)
    assert.deepEqual(
      steps.map(({ track }) => odometerOf(track)),
      [0, 100, 100, 300],
    )
    assert.deepEqual(
      steps.map(({ track }) => track.suspect !== null),
      [false, false, true, false],
    )
    assert.ok(
      steps.every(({ hidden }) => !hidden),
      'history shows it',
    )
  })

  it('does not become the place of the object', () => {
    const { shown, last } = driven(VAN, [DRIVING, DRIVING, { east: 9_000 }])
    assert.deepEqual([since(shown.time), since(last.time)], [10, 10])
  })

  it('of several fixes that do not bear each other out is left out too', () => {
    const legs = [
      DRIVING,
      { east: 9_000, speed: 36 },
      { east: 50_000 },
      { east: -58_700, speed: 36 },
    ]
    const track = driven(VAN, legs)
    assert.deepEqual([odometerOf(track), track.suspect], [300, null])
  })

  it('there and back, of two fixes that bear each other out, counts what is between them', () => {
    const legs = [
      DRIVING,
      { east: 9_000, speed: 36 },
      { east: 100, speed: 36 },
      { east: -9_000, speed: 36 },
      { east: 100, speed: 36 },
    ]
    assert.equal(odometerOf(driven(VAN, legs)), 200)
  })

  it('is a change of place when the next fix bears it out, of which no way is counted', () => {
    const legs = [DRIVING, DRIVING, { east: 500_000, speed: 36 }, DRIVING, DRIVING]
    const { suspect, last, shown, ...track } = driven(VAN, legs)
    assert.deepEqual([odometerOf({ suspect, last, shown, ...track }), suspect], [300, null])
    assert.deepEqual([since(last.time), since(shown.time)], [40, 40])
  })

  it('leaves a first fix that was wrong behind', () => {
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

  it('does not move an object that stands, whatever its speed says', () => {
    const standing: Leg = { speed: 0, ignition: false }
    const legs = [DRIVING, { east: 10, ...standing }, ...times(60, standing)]
    const before = driven(VAN, legs)
    const jump: Leg = { east: 9_000, speed: 80, ignition: false }
    const after = driven(VAN, [...legs, jump, { east: -8_995, ...standing }])
    assert.equal(after.motion, 'stopped')
    assert.deepEqual(
      [after.odometer, after.mileage, after.tripFrom, after.activeAt],
      [before.odometer, before.mileage, before.tripFrom, before.activeAt],
    )
  })
})

describe('A speed that is no vehicle’s', () => {
  it('is taken for unknown: 410 km/h, the 255 mph of a sensor’s error', () => {
    const absurd = times(60, { speed: 410 })
    const track = driven(VAN, [{ speed: 0 }, ...absurd])
    assert.deepEqual([odometerOf(track), track.motion, track.tripFrom], [0, null, null])
    const ignition = driven(VAN, [{ speed: 0 }, { speed: 410, ignition: true }])
    assert.equal(ignition.motion, 'idle')
    const moving = driven(VAN, [{ speed: 36 }, { after: 60, east: 600, speed: 410 }])
    assert.deepEqual([odometerOf(moving), moving.motion], [600, 'moving'])
  })
})

describe('A trip', () => {
  const DRIVING: Leg = { east: 100, speed: 36 }
  const STANDING: Leg = { speed: 0 }

  it('begins with the first fix that moves, and counts the way to it', () => {
    const track = driven(VAN, [STANDING, STANDING, DRIVING, DRIVING])
    assert.deepEqual([since(track.tripFrom), mileageOf(track)], [20, 200])
  })

  it('begins with an object’s first fix where that moves', () => {
    const track = driven(VAN, [DRIVING, DRIVING])
    assert.deepEqual([since(track.tripFrom), mileageOf(track)], [0, 100])
  })

  it('goes on after five minutes, and not after more', () => {
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

  it('that is over stands with its mileage until the next one', () => {
    const legs = [DRIVING, DRIVING, DRIVING, ...times(100, STANDING)]
    const parked = driven(VAN, legs)
    assert.deepEqual([since(parked.tripFrom), mileageOf(parked)], [0, 200])
    const next = driven(VAN, [...legs, DRIVING])
    assert.deepEqual([mileageOf(next), odometerOf(next)], [100, 300])
  })

  it('is not begun by where an object is found in the morning that was last seen moving', () => {
    const night = 10 * 3_600
    const evening = [DRIVING, DRIVING, DRIVING]
    const found = driven(VAN, [...evening, { after: night, east: 20, speed: 0 }])
    assert.deepEqual([since(found.tripFrom), mileageOf(found)], [0, 220])
    const legs = [...evening, { after: night, east: 20, speed: 0 }, { ...DRIVING, after: 60 }]
    const away = driven(VAN, legs)
    assert.deepEqual([since(away.tripFrom), mileageOf(away)], [night + 80, 100])
  })

  it('without a speed lasts as long as the way exceeds the drift', () => {
    const track = driven(VAN, [{}, ...times(100, { after: 30, east: 250 }), ...times(20, {})])
    assert.deepEqual([since(track.tripFrom), mileageOf(track)], [30, 25_000])
  })
})

describe('The minimum difference between points', () => {
  const KEPT_APART = vehicle({ minimumDifferencePoint: 50 })
  const hiddenOf = (legs: Leg[]) => drive(KEPT_APART, legs).map(({ hidden }) => hidden)

  it('hides what lies nearer to the last point shown, not to the one before', () => {
    const legs = [{}, { east: 20 }, { east: 20 }, { east: 20 }, { east: 49 }, { east: 2 }]
    assert.deepEqual(hiddenOf(legs), [false, true, true, false, true, false])
  })

  it('never hides the first, nor anything where it is 0', () => {
    assert.deepEqual(hiddenOf([{}]), [false])
    assert.ok(drive(VAN, times(5, { speed: 0 })).every(({ hidden }) => !hidden))
  })

  it('leaves out no way: it is counted from one point shown to the next', () => {
    const legs = [{ speed: 36 }, ...times(23, { after: 1, east: 11, speed: 36 })]
    const track = driven(KEPT_APART, legs)
    assert.equal(odometerOf(track), 220)
    assert.equal(since(track.shown.time), 20)
    const stopping = [...legs, { east: 11, speed: 0 }, { east: 11, speed: 0 }]
    assert.equal(odometerOf(driven(KEPT_APART, stopping)), 275)
  })

  it('keeps what is hidden out of the object’s place, not out of its motion', () => {
    const legs = [{ speed: 0 }, { east: 10, speed: 20 }, { speed: 0, ignition: true }]
    const motions = drive(KEPT_APART, legs).map(({ track }) => track.motion)
    assert.deepEqual(motions, ['stopped', 'moving', 'idle'])
    assert.equal(driven(KEPT_APART, legs).shown.time, START)
  })
})
