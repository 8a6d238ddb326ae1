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
} from '../../../../testing/drive-trial.ts'

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

  it('sets out with one that has traveled', () => {
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

const HOUR = 3_600
const DRIVING: Leg = { after: 60, east: 500, speed: 30 }
const silenceAfter = (before: readonly Leg[], ...legs: Leg[]) =>
  driven(VAN, [...before, ...legs]).silence

describe('A silence', () => {
  it('is longer than the maximum gap of the object, or of the organization', () => {
    const after = (minutes: number, maximumGap: number | null) =>
      driven(vehicle({ maximumGap }), [PARKED, { after: minutes * 60, speed: 0 }]).silence
    assert.equal(after(60, null), null)
    assert.equal(after(61, null)?.before, 'same place')
    assert.equal(after(61, 61), null)
    assert.equal(after(6, 5)?.before, 'same place')
  })

  it('with both ends within 100 m is at the same place, however the object moves', () => {
    for (const before of [[DRIVING], [PARKED], [{}]]) {
      for (const speed of [null, 0, 30]) {
        const silence = silenceAfter(before, { after: 2 * HOUR, east: 99, speed, ignition: true })
        assert.equal(silence?.before, 'same place')
      }
    }
  })

  it('is one of a sleeping tracker if a parked object moves within 1 km', () => {
    const woken = (east: number, speed: number | null, before: Leg = PARKED) =>
      silenceAfter([before], { after: 2 * HOUR, east, speed })?.before
    assert.deepEqual(
      [woken(1_000, 30), woken(101, 30), woken(1_001, 30)],
      ['left from near', 'left from near', 'trip'],
    )
    assert.deepEqual([woken(500, 0), woken(500, null)], ['trip', 'trip'])
  })

  it('is one of a garage if a slow object moves within 1 km, slower than 1 km/h', () => {
    const after = (before: Leg, left: Leg, maximumGap: number | null = null) =>
      driven(vehicle({ maximumGap }), [DRIVING, { ...DRIVING, ...before }, left]).silence?.before
    const left: Leg = { after: 9 * HOUR, east: 300, speed: 10 }
    assert.equal(after({ speed: 12 }, left), 'left from near')
    assert.equal(after({ speed: 39 }, { ...left, after: HOUR + 60, east: 999 }), 'left from near')
    // The outage of a feed on a motorway is no stop, nor is one on foot.
    assert.equal(after({ speed: 40 }, left), 'trip')
    assert.equal(after({ speed: null }, left), 'trip')
    assert.equal(after({ speed: 12 }, { ...left, after: 360 }, 5), 'trip')
    assert.equal(after({ speed: 12 }, { ...left, east: 1_001 }), 'trip')
    assert.equal(after({ speed: 12 }, { ...left, speed: 0 }), 'trip')
  })

  it('is not interrupted by fixes that are not believed', () => {
    const jump: Leg = { after: HOUR / 2, east: 900_000, speed: 30 }
    const back: Leg = { ...jump, after: HOUR, east: -900_000 }
    const steps = drive(VAN, [PARKED, jump, { ...back, speed: 0 }])
    assert.deepEqual(
      steps.map(({ fold }) => fold.silence),
      [null, null, { before: 'same place', confirms: false, beforeConfirmed: false }],
    )
  })

  it('is one before a fix that the next one confirms, and may be one after it', () => {
    const jump: Leg = { after: 2 * HOUR, east: 3_000_000, speed: 30 }
    assert.deepEqual(silenceAfter([PARKED], jump, PARKED), {
      before: null,
      confirms: true,
      beforeConfirmed: true,
    })
    assert.deepEqual(silenceAfter([PARKED], jump, { after: 2 * HOUR, speed: 0 }), {
      before: 'same place',
      confirms: true,
      beforeConfirmed: true,
    })
    assert.deepEqual(silenceAfter([PARKED], { ...jump, after: 600 }, { after: 2 * HOUR }), {
      before: 'same place',
      confirms: true,
      beforeConfirmed: false,
    })
  })
})

describe('After a silence', () => {
  it('the distance that was counted at the same place belongs to the next trip', () => {
    const night: Leg = { after: 10 * HOUR, east: 60, speed: 0 }
    const fold = driven(VAN, [DRIVING, DRIVING, night, PARKED, DRIVING])
    assert.deepEqual([odometerOf(fold), mileageOf(fold)], [1_060, 560])
  })

  it('a trip of a sleeping tracker, or out of a garage, begins without the distance of the silence', () => {
    const left: Leg = { after: 10 * HOUR, east: 800, speed: 30 }
    for (const before of [[PARKED], []]) {
      for (const minimumDifferencePoint of [0, 900]) {
        const steps = drive(vehicle({ minimumDifferencePoint }), [
          DRIVING,
          ...before,
          left,
          DRIVING,
        ])
        const [out, next] = steps.slice(-2).map(({ fold }) => fold)
        assert.deepEqual([out!.anchor.time, out!.motion, odometerOf(out!)], [out!.at, 'moving', 0])
        assert.deepEqual([odometerOf(next!), mileageOf(next!)], [500, 500])
      }
    }
  })

  it('the device’s counter counts the way out of a garage', () => {
    const byDevice = vehicle({ distanceSource: 'odometer' })
    const left: Leg = { after: 10 * HOUR, east: 800, speed: 30, odometer: 101.5 }
    const legs = [{ ...PARKED, odometer: 100 }, { ...DRIVING, odometer: 100.5 }, left]
    assert.equal(odometerOf(driven(byDevice, [...legs, { ...DRIVING, odometer: 102 }])), 2_000)
  })

  it('the next movement begins a new trip if the silence was one', () => {
    const far = (speed: number): Leg => ({ after: 10 * HOUR, east: 90_000, speed })
    const [silent, next] = drive(VAN, [DRIVING, DRIVING, far(0), DRIVING]).slice(-2)
    assert.deepEqual([mileageOf(silent!.fold), mileageOf(next!.fold)], [90_000, 500])
    const moving = drive(VAN, [DRIVING, DRIVING, far(30), DRIVING]).slice(-2)
    assert.deepEqual(
      moving.map(({ fold }) => mileageOf(fold)),
      [0, 500],
    )
    assert.equal(odometerOf(moving[1]!.fold), 91_000)
  })

  it('a silent trip has its distance for itself, also if the history hides its end', () => {
    const fast: Leg = { ...DRIVING, speed: 50 }
    const silent: Leg = { after: 10 * HOUR, east: 150, speed: 50 }
    const legs = [fast, fast, silent, fast]
    const steps = drive(vehicle({ minimumDifferencePoint: 200 }), legs)
    assert.deepEqual(
      steps.map(({ hidden, fold }) => [hidden, odometerOf(fold), mileageOf(fold)]),
      [
        [false, 0, 0],
        [false, 500, 500],
        [true, 650, 0],
        [false, 1_150, 500],
      ],
    )
  })

  it('a silent trip has the geodesic between its ends, whatever the motion and the ignition there', () => {
    const way = (before: Leg, after: Leg, east = 9_000) =>
      odometerOf(
        driven(VAN, [DRIVING, { after: 60, ...before }, { after: 10 * HOUR, east, ...after }]),
      )
    const still: Leg = { speed: 0 }
    const off: Leg = { speed: 0, ignition: false }
    assert.deepEqual([way(still, still), way(off, off), way({}, {})], [9_000, 9_000, 9_000])
    // From the believed position before, not from the anchor.
    assert.equal(way({ east: 60, speed: null, after: 900 }, still), 9_000)
    // A parked tracker that reports every 2 hours drifts.
    assert.deepEqual([way(still, still, 999), way(still, still, 1_001)], [0, 1_001])
    assert.equal(way({ ...DRIVING, speed: 60 }, still, 500), 1_000)
  })

  it('a silent trip has the anchor at its end, also if nothing shows how the object moves there', () => {
    const fold = driven(VAN, [{}, { after: 10 * HOUR, east: 9_000 }, { after: 60, east: 150 }])
    assert.equal(odometerOf(fold), 9_150)
  })

  it('a silent trip faster than 250 km/h has no distance', () => {
    const stuck = { after: 60, speed: 60 }
    const legs = [
      DRIVING,
      ...times(480, { ...stuck, speed: 30 }),
      { after: HOUR + 60, east: 400_000, speed: 0 },
    ]
    const fold = driven(VAN, legs)
    assert.deepEqual([fold.silence?.before, fold.suspect, odometerOf(fold)], ['trip', null, 0])
  })

  it('the device’s counter has the distance of a silent trip', () => {
    const still = (odometer: number): Leg => ({ after: 10 * HOUR, east: 900, speed: 0, odometer })
    const byDevice = vehicle({ distanceSource: 'odometer' })
    assert.equal(odometerOf(driven(byDevice, [still(100), still(102.5)])), 2_500)
    const sensor = vehicle({}, { odometerType: 'sensor' })
    assert.equal(odometerOf(driven(sensor, [still(100), still(102.5)])), 102_500)
  })

  it('an unknown speed says nothing about motion: nobody knows when the object moved', () => {
    const fold = driven(VAN, [{}, { after: 10 * HOUR, east: 90_000 }])
    assert.deepEqual([fold.motion, odometerOf(fold), fold.activeAt], [null, 90_000, null])
  })
})

describe('A gap that is no silence', () => {
  it('ends no trip at its end, however slow the leg was', () => {
    const slow: Leg = { after: 40 * 60, east: 1_500, speed: 0 }
    const fold = driven(VAN, [DRIVING, DRIVING, slow, DRIVING])
    assert.deepEqual([since(fold.tripFrom), mileageOf(fold)], [0, 2_500])
  })

  it('between two moving fixes resets no mileage', () => {
    const fold = driven(VAN, [DRIVING, DRIVING, { ...DRIVING, after: 25 * 60 }])
    assert.deepEqual([since(fold.tripFrom), mileageOf(fold)], [0, 1_000])
  })
})
