import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level, Stop, Trip, Visit } from '../api/types.ts'
import { inOrder } from './day-records.ts'

const at = <Row>(id: number, start_time: string) => ({ id, start_time }) as Row

test('the records of a day are in the order of their starts, a visit after what starts with it', () => {
  const records = inOrder(
    [at<Trip>(1, '2026-05-04T08:10:00.000Z'), at<Trip>(2, '2026-05-04T09:00:00.000Z')],
    [at<Stop>(3, '2026-05-04T08:00:00.000Z')],
    [at<Visit>(4, '2026-05-04T08:00:00.000Z'), at<Visit>(5, '2026-05-04T08:05:00.000Z')],
    [at<Level>(6, '2026-05-04T08:06:00.000Z')],
  )
  const keys = records.map(({ key }) => key)
  assert.deepEqual(keys, ['stop-3', 'visit-4', 'visit-5', 'level-6', 'trip-1', 'trip-2'])
})
