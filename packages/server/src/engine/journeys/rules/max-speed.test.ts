import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DerivedObject } from '../../../../testing/records/derived-object.ts'
import { fixAt, NOW } from '../../../../testing/store-contract/fixture.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { localDays } from '../../../base/domain/time/time-zone.ts'
import { DayTotals } from '../days/day-totals.ts'
import { placeIndex } from './place-index.ts'
import { noMovement } from './trip-starts.ts'

const START = NOW - 86_400_000
const NO_PLACES = placeIndex([], [])

/** Fixes some seconds apart, with their meters to the east and their speeds. */
type Way = readonly [seconds: number, metres: number, speed: number | null][]

function fixesOf(way: Way): Fix[] {
  let [time, metres] = [START, 0]
  return way.map(([seconds, east, speed]) => {
    time += seconds * 1_000
    metres += east
    return fixAt(time, { latitude: 0, longitude: 10 + metres / 111_319.49, speed })
  })
}

/** The maxima of the trips, whole km/h, and that of the day. */
function maximaOf(way: Way): { trips: (number | null)[]; day: number | null } {
  const derived = new DerivedObject()
  derived.object.append(fixesOf(way))
  derived.derive(NO_PLACES, 1_000_000)
  const whole = (speed: number | null) => speed && Math.round(speed)
  const lead = { previous: null, movement: noMovement() }
  const totals = new DayTotals(1, localDays('UTC'), lead)
  const ended = derived.object.rows(-1).flatMap((row) => totals.add(row))
  const [day] = [...ended, ...totals.end()]
  return {
    trips: derived.records('trip').map(({ record }) => whole(record.maxSpeed)),
    day: whole(day!.maxSpeed),
  }
}

const DRIVING: Way = Array.from({ length: 5 }, () => [60, 600, 40])
const PARKED: Way = Array.from({ length: 7 }, () => [60, 0, 0])

describe('The highest speed', () => {
  it('is none of a fix that is never believed', () => {
    const jump: Way = [
      [60, 440_000, 230],
      [60, -439_000, 40],
    ]
    const away = [...DRIVING, ...jump, ...DRIVING]
    assert.deepEqual(maximaOf(away), { trips: [40], day: 40 })
    const doubled: Way = [
      [60, 440_000, 230],
      [60, 440_000, 220],
      [60, -879_000, 40],
    ]
    assert.deepEqual(maximaOf([...DRIVING, ...doubled, ...DRIVING]), { trips: [40], day: 40 })
  })

  it('is one of a fix that the next one confirms, but not before', () => {
    const jump: Way = [[60, 9_000, 230]]
    assert.deepEqual(maximaOf([...DRIVING, ...jump]), { trips: [40], day: 40 })
    const confirmed: Way = [...jump, [60, 600, 40], ...DRIVING]
    assert.deepEqual(maximaOf([...DRIVING, ...confirmed]), { trips: [230], day: 230 })
  })

  it('is none of a speed that the place refutes', () => {
    const stuck: Way = Array.from({ length: 9 }, () => [60, 0, 80])
    const noise: Way = [[60, 60, 80], ...stuck]
    assert.equal(maximaOf([...PARKED, ...noise]).day, 0)
  })

  it('is the highest pace of a leg of more than 30 seconds, if no fix has a speed', () => {
    const legs: Way = [
      [60, 600, null],
      [60, 700, null],
      [30, 360, null],
      [31, 300, null],
    ]
    assert.deepEqual(maximaOf(legs), { trips: [42], day: 42 })
    // By the time since the anchor: the fix in between adds nothing yet.
    const crawl: Way = [
      [60, 0, null],
      [60, 1_000, null],
      [60, 90, null],
      [5, 90, null],
      [60, 800, null],
    ]
    assert.deepEqual(maximaOf(crawl), { trips: [60], day: 60 })
  })

  it('is that of a speed, however low, but never below the average', () => {
    const slow: Way = [...PARKED, [60, 1_000, 20], [60, 1_000, 20], [60, 1_000, 10]]
    assert.deepEqual(maximaOf(slow), { trips: [60], day: 20 })
  })

  it('is the pace of a silent trip', () => {
    const silent: Way = [...PARKED, [36_000, 90_000, 0], ...PARKED]
    assert.deepEqual(maximaOf(silent), { trips: [9], day: 0 })
  })
})
