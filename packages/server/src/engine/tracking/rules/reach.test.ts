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
import type { MonitoredObject } from '../../../base/domain/monitored-object.ts'

const VAN = vehicle()
const HOUR = 3_600
const FAR = 280_000
const DRIVING: Leg = { after: 60, east: 600, speed: 36 }
/** Enough to be away from the first fix, and to have driven on. */
const UNDER_WAY = times(10, DRIVING)

/** Fixes each minute at another place, while the object drives on, and the first one that is back. */
function reported(count: number, east: number): Leg[] {
  return [{ after: 60, east, speed: 0 }, ...times(count - 1, { after: 60, speed: 0 })]
}
function back(after: number, east: number): Leg {
  return { after: 60, east: (after + 1) * 600 - east, speed: 36 }
}

const kilometres = (legs: readonly Leg[], object: MonitoredObject = VAN) =>
  odometerOf(driven(object, legs)) / 1_000

describe('Fixes after a jump', () => {
  it('are never believed, two or fifty of them, if the object comes back to where it was', () => {
    for (const count of [1, 2, 5, 30, 50]) {
      const legs = [...UNDER_WAY, ...reported(count, FAR), back(count, FAR), ...UNDER_WAY]
      const steps = drive(VAN, legs)
      const driven = (legs.length - 1) * 0.6
      assert.ok(Math.abs(odometerOf(steps.at(-1)!.fold) / 1_000 - driven) < 0.001, `${count}`)
      assert.equal(steps.filter(({ fold }) => fold.suspect !== null).length, count)
    }
  })

  it('in pairs, in turn with true pairs, lose next to nothing', () => {
    const pairs = times(20, {}).flatMap(() => [...reported(2, FAR), back(2, FAR), { ...DRIVING }])
    assert.equal(Math.round(kilometres([...UNDER_WAY, ...pairs]) * 10), 534)
  })

  it('are confirmed by 60 minutes and 10 fixes, without distance before that', () => {
    const confirmedAfter = (every: number) => {
      const legs: Leg[] = [
        ...UNDER_WAY,
        { after: every, east: FAR, speed: 36 },
        ...times(100, { after: every, east: 200, speed: 36 }),
      ]
      const steps = drive(VAN, legs)
      const at = steps.findIndex(({ fold }, index) => index > 10 && fold.suspect === null)
      return [at - 10 + 1, odometerOf(steps[at]!.fold)]
    }
    // The way from the fix before to the one that confirms counts.
    assert.deepEqual(confirmedAfter(60), [61, 5_600])
    assert.deepEqual(confirmedAfter(600), [10, 5_600])
  })

  it('form another group where none can be reached from the one before', () => {
    const legs = [...UNDER_WAY, ...reported(30, FAR), ...reported(31, FAR), back(61, 2 * FAR)]
    const steps = drive(VAN, legs)
    assert.equal(steps.at(-2)!.fold.group?.count, 31)
    assert.equal(since(steps.at(-2)!.fold.group!.since), (9 + 31) * 60)
  })

  it('belong to the last believed fix, if that is nearer and within reach', () => {
    // After 70 minutes the airport is within reach of both.
    const legs = [...UNDER_WAY, ...reported(5, FAR), { after: 4_200, east: 1_000 - FAR, speed: 36 }]
    assert.equal(driven(vehicle({ maximumGap: 600 }), legs).suspect, null)
    const stays = [...UNDER_WAY, ...reported(5, FAR), { after: 4_200, east: 1_000, speed: 36 }]
    assert.equal(driven(vehicle({ maximumGap: 600 }), stays).group?.count, 6)
  })
})

describe('Two fixes confirm a jump', () => {
  const isConfirmed = (...legs: readonly Leg[]) => driven(VAN, legs).suspect === null
  const pair = (east: number): Leg[] => reported(2, east)

  it('if it is of at most 10 km', () => {
    const within = (after: number, east: number) =>
      isConfirmed(...UNDER_WAY, { after, east, speed: 0 }, { after: 1, speed: 0 })
    assert.deepEqual([within(60, 9_999), within(60, 10_001)], [true, false])
  })

  it('after a silence, or with one between them', () => {
    const far: Leg = { after: HOUR + 60, east: 2_000_000, speed: 0 }
    assert.equal(isConfirmed(...UNDER_WAY, far, { after: 60, speed: 0 }), true)
    assert.equal(isConfirmed(...UNDER_WAY, { ...far, after: HOUR }, { after: 60, speed: 0 }), false)
    const later = { after: HOUR + 60, speed: 0 }
    assert.equal(isConfirmed(...UNDER_WAY, ...reported(3, 2_000_000), later), true)
  })

  it('from the first fixes, or those after a silent trip, as long as they are within 200 m', () => {
    const still: Leg = { after: 60, east: 90, speed: 0, ignition: true }
    assert.equal(isConfirmed({ speed: 0 }, ...pair(FAR)), true)
    assert.equal(isConfirmed({ speed: 0 }, still, still, ...pair(FAR)), true)
    assert.equal(isConfirmed({ speed: 0 }, still, still, still, ...pair(FAR)), false)
    // Not once it has left, even if it is back.
    const left = { ...still, east: 270 }
    assert.equal(isConfirmed({ speed: 0 }, left, { ...left, east: -270 }, ...pair(FAR)), false)
    const silent: Leg = { after: 2 * HOUR, east: 90_000, speed: 0 }
    assert.equal(isConfirmed(...UNDER_WAY, silent, still, ...pair(FAR)), true)
    assert.equal(isConfirmed(...UNDER_WAY, silent, ...UNDER_WAY, ...pair(FAR)), false)
  })

  it('within reach of the believed fix before the last one', () => {
    // An outlier of 15 km was believed, 5 minutes after the fix before.
    const outlier: Leg = { after: 300, east: 15_000, speed: 36 }
    assert.equal(isConfirmed(...UNDER_WAY, outlier, { after: 60, east: -15_000, speed: 36 }), false)
    assert.equal(isConfirmed(...UNDER_WAY, outlier, ...pair(-15_000)), true)
    assert.equal(
      isConfirmed(...UNDER_WAY, outlier, { after: 60, speed: 0 }, ...pair(-15_000)),
      false,
    )
  })

  it('within reach of the last one before the last confirmed jump, once', () => {
    const spoofed = [...UNDER_WAY, ...reported(62, FAR)]
    assert.equal(isConfirmed(...spoofed), true)
    const returned = [...spoofed, ...pair(-FAR)]
    assert.equal(isConfirmed(...returned), true)
    assert.equal(driven(VAN, returned).origin, null)
    // Once again it takes an hour, there and back.
    assert.equal(isConfirmed(...returned, ...UNDER_WAY, ...pair(FAR)), false)
    assert.equal(isConfirmed(...spoofed, ...UNDER_WAY, ...pair(-4 * FAR)), false)
  })

  it('if the last believed fix had repeated its coordinates for longer than a silence', () => {
    const parked = (seconds: number) => [
      ...UNDER_WAY,
      ...times(2, { after: seconds / 2, speed: 0 }),
    ]
    assert.equal(isConfirmed(...parked(HOUR), ...pair(FAR)), false)
    assert.equal(isConfirmed(...parked(HOUR + 2), ...pair(FAR)), true)
    // With a setting of its own the silence is shorter.
    const legs = [...parked(1_000), ...pair(FAR)]
    assert.equal(driven(vehicle({ maximumGap: 10 }), legs).suspect, null)
  })

  it('and 60 minutes and 10 fixes any other', () => {
    assert.equal(isConfirmed(...UNDER_WAY, ...pair(FAR)), false)
  })
})
