import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  drive,
  driven,
  type Leg,
  odometerOf,
  since,
  times,
  vehicle,
} from '../../../../testing/drive-trial.ts'

const VAN = vehicle()
const DRIVING: Leg = { after: 60, east: 1_000, speed: 60 }
const REPEATED: Leg = { after: 60, speed: 60 }

const motionsOf = (legs: readonly Leg[]) => drive(VAN, legs).map(({ fold }) => fold.motion)

describe('A fix at the coordinates and with the speed of the one before', () => {
  it('has an unknown speed once more than 2 minutes have passed since the first of them', () => {
    const motions = motionsOf([DRIVING, DRIVING, ...times(4, REPEATED)])
    assert.deepEqual(motions, ['moving', 'moving', 'moving', 'moving', null, null])
    assert.equal(motionsOf([DRIVING, DRIVING, { after: 121, speed: 60 }]).at(-1), null)
  })

  it('ends the trip of a tracker that repeats its last fix for 8 hours', () => {
    const stuck = [...times(11, DRIVING), ...times(480, REPEATED)]
    const fold = driven(VAN, stuck)
    assert.deepEqual([since(fold.activeAt), odometerOf(fold)], [780, 10_000])
    const off = driven(
      VAN,
      stuck.map((leg) => ({ ...leg, ignition: false })),
    )
    assert.equal(off.motion, 'stopped')
  })

  it('moves if it is only sent twice', () => {
    for (const apart of [5, 30, 60, 120]) {
      const motions = motionsOf(
        times(10, DRIVING).flatMap((leg) => [leg, { ...leg, after: apart, east: 0 }]),
      )
      assert.deepEqual(new Set(motions), new Set(['moving']), `${apart} s`)
    }
  })

  it('counts by its speed if speed or place differ, and below the speed of movement', () => {
    const after = (second: Leg, third: Leg) => driven(VAN, [DRIVING, DRIVING, second, third]).motion
    assert.equal(after(REPEATED, { ...REPEATED, speed: 61 }), 'moving')
    assert.equal(after(REPEATED, { ...REPEATED, east: 1 }), 'moving')
    // The first with the other speed counts from its own time.
    assert.equal(after({ ...REPEATED, speed: 50 }, { after: 120, speed: 50 }), 'moving')
    assert.equal(after({ ...REPEATED, speed: 50 }, { after: 121, speed: 50 }), null)
    const slow = times(4, { after: 60, speed: 4 })
    assert.equal(driven(VAN, [DRIVING, DRIVING, ...slow]).motion, 'idle')
  })

  it('is where the next fix is measured from as of the first of them, in reach and pace', () => {
    const left = (east: number, speed: number | null) =>
      driven(VAN, [DRIVING, DRIVING, ...times(480, REPEATED), { after: 60, east, speed }])
    const far = left(140_000, 60)
    assert.deepEqual([far.suspect, odometerOf(far), far.motion], [null, 141_000, 'moving'])
    // 400 m in 8 hours are no movement, but 140 km are.
    assert.deepEqual([left(400, null).motion, left(140_000, null).motion], [null, 'moving'])
    assert.equal(odometerOf(left(400, 60)), 1_400)
    assert.equal(odometerOf(left(0, 60)), 1_000)
  })

  it('may be one that the next fix confirms', () => {
    const jump: Leg = { after: 60, east: 900_000, speed: 60 }
    const steps = drive(VAN, [DRIVING, jump, ...times(3, REPEATED)])
    assert.deepEqual(
      steps.map(({ fold }) => [fold.suspect !== null, fold.motion]),
      [
        [false, 'moving'],
        [true, 'moving'],
        [false, 'moving'],
        [false, 'moving'],
        [false, null],
      ],
    )
  })
})
