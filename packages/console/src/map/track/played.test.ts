import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DayRecord } from '../../records/day-records.ts'
import { played } from './played.ts'
import type { TrackPoint } from './track.ts'

const HOUR = 3_600_000
const points = [6, 8, 20].map((hour): TrackPoint => [hour * HOUR, 10, 50, 5, 90, 'moving', null])

function record(kind: DayRecord['kind'], start: number, end: number | null): DayRecord {
  const at = (hour: number) => new Date(hour * HOUR).toISOString()
  const row = { start_time: at(start), end_time: end === null ? null : at(end) }
  return { key: 'one', kind, row } as DayRecord
}

test('without a chosen record the whole day is played', () => {
  const all = { first: 6 * HOUR, last: 20 * HOUR, start: 6 * HOUR, around: undefined }
  assert.deepEqual(played(points, undefined), all)
})

test('a chosen trip is played from its start to its end, within the day', () => {
  const { first, last, start, around } = played(points, record('trip', 10, 12))
  assert.deepEqual([first, last, start], [10 * HOUR, 12 * HOUR, 10 * HOUR])
  assert.deepEqual(around, [9.9 * HOUR, 12.1 * HOUR])
  const begunBefore = played(points, record('stop', -3, 7))
  assert.deepEqual([begunBefore.first, begunBefore.last], [6 * HOUR, 7 * HOUR])
  assert.equal(played(points, record('trip', 10, null)).last, 20 * HOUR)
})

test('a change of a level is a moment of the day', () => {
  const { first, last, start } = played(points, record('level', 9, 10))
  assert.deepEqual([first, last, start], [6 * HOUR, 20 * HOUR, 10 * HOUR])
})
