import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertConforms } from '../../../testing/conforms.ts'
import type { ObjectDay } from '../../engine/journeys/days/day-totals.ts'
import { DAY_FIELDS } from './report-fields.ts'
import { rowOf as rowsOf } from './row-fields.ts'

const VAN = { id: 7, ident: 'I "1"', name: 'Van\n71' }
const DAY: ObjectDay = {
  object: 7,
  day: 20_577,
  first: 1_777_852_800_000,
  last: 1_777_939_199_999,
  movingTime: 30_500,
  idleTime: 0,
  silentTime: 0,
  stoppedTime: 1_499,
  trips: 2,
  positions: 9,
  maxSpeed: 96.56064,
  distance: 1_609_344,
  odometer: { start: 1_609_344, end: 3_218_688 },
  engineHours: { start: null, end: 5_400_000 },
}

const dayRow = rowsOf(DAY_FIELDS)

function rowOf(day: Partial<ObjectDay>) {
  const body = { statusCode: 200, result: [dayRow({ day: { ...DAY, ...day }, object: VAN }, 'mi')] }
  assertConforms('listDays', 200, body)
  return body.result[0]!
}

it('a day is in the units of the answer, and rounded once', () => {
  assert.deepEqual(rowOf({}), {
    ...{ object_id: 7, ident: 'I "1"', name: 'Van\n71', date: '2026-05-04', distance: 1, trips: 2 },
    ...{
      moving_time: 31,
      idle_time: 0,
      stopped_time: 1,
      silent_time: 0,
      max_speed: 60,
      positions: 9,
    },
    first_time: '2026-05-04T00:00:00.000Z',
    last_time: '2026-05-04T23:59:59.999Z',
    ...{ start_odometer: 1, end_odometer: 2, start_engine_hours: null, end_engine_hours: 1.5 },
  })
})

it('a day without an odometer has no distance, and that of an unfinished fold is not negative', () => {
  const none = { start: null, end: null }
  const without = rowOf({ distance: null, odometer: none, engineHours: none, maxSpeed: null })
  assert.deepEqual(
    [without.distance, without.start_odometer, without.max_speed],
    [null, null, null],
  )
  assert.equal(rowOf({ distance: -5_000_000 }).distance, 0)
})
