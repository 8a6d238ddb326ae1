import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { anyRecord } from '../../../testing/any-record.ts'
import { assertConforms } from '../../../testing/conforms.ts'
import type { DerivedRecord } from '../../base/domain/record.ts'
import type { RecordContext } from './record-fields.ts'
import { encodeRecord } from './record-rows.ts'

const CONTEXT: RecordContext = {
  unit: 'mi',
  object: (id) => ({ id, ident: 'I "1"', name: 'Van\n71' }),
  addressAt: () => null,
  placeName: () => 'Depot',
  attributeName: () => 'fuel_level',
}
const OPERATION = {
  trip: 'listTrips',
  stop: 'listStops',
  visit: 'listVisits',
  level: 'listLevels',
} as const

function rowOf(record: DerivedRecord, more: Partial<RecordContext> = {}) {
  const owned = { id: 1, object: 7, revision: 2, updatedAt: 0, checkpoint: null, record }
  return JSON.parse(encodeRecord(owned, { ...CONTEXT, ...more }))
}

it('every record conforms to the description', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const body = { statusCode: 200, result: [rowOf(record)] }
      assertConforms(OPERATION[record.kind], 200, body)
      assert.equal(
        body.result[0].open,
        record.kind === 'level' ? record.isOpen : record.end === null,
      )
    }),
  )
})

it('distances, speeds and times are in the units of the answer, and rounded once', () => {
  const point = { latitude: 1, longitude: 2, address: null, engineHours: 5_400_000 }
  const trip: DerivedRecord = {
    kind: 'trip',
    start: 1_000,
    end: 61_499,
    until: 61_499,
    from: { ...point, time: 1_000, odometer: 1_609_344 },
    to: { ...point, time: 61_499, odometer: 3_218_688 },
    distance: 1_609_344,
    movingTime: 30_500,
    idleTime: 0,
    silentTime: 0,
    maxSpeed: 96.56064,
    positions: 3,
    longestGap: 1_499,
    box: { west: 0, south: 0, east: 0, north: 0 },
  }
  const row = rowOf(trip, { addressAt: (...place) => `near ${place}` })
  assert.deepEqual(
    [row.distance, row.start_odometer, row.end_odometer, row.max_speed],
    [1, 1, 2, 60],
  )
  assert.deepEqual([row.duration, row.moving_time, row.longest_gap], [60, 31, 1])
  assert.deepEqual(
    [row.average_speed, row.end_engine_hours, row.end_address],
    [59.51, 1.5, 'near 1,2'],
  )
  const standing = rowOf({ ...trip, distance: -5, end: null, to: null, until: 1_000 })
  assert.deepEqual([standing.distance, standing.average_speed, standing.end_time], [0, null, null])
})
