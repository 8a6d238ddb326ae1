import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { it } from 'node:test'
import { assertConforms } from '../../../../testing/conforms.ts'
import type { Adherence } from '../../../engine/journeys/adherence/adherence.ts'
import { adherenceParts } from './get-adherence.ts'

const VAN = { id: 7, ident: 'I "1"', name: 'Van\n71' }
const WHOLE: Adherence = {
  distance: 1_609_344,
  shareInside: 0.123456,
  deviations: [{ start: 0, end: 61_499, silentTime: 30_000, greatestDistance: 412.7049 }],
  waypoints: [{ order: 1, nearestDistance: 0.005, time: 1_000, isVisitedInOrder: false }],
}

async function resultOf(adherence: Adherence, deviation: number | null) {
  const parts = adherenceParts(adherence, { id: 9, deviation }, VAN, 'mi')
  const body = JSON.parse((await buffer(parts)).toString())
  assertConforms('getAdherence', 200, body)
  return body.result
}

it('adherence is in meters, but for the distance, and rounded once', async () => {
  assert.deepEqual(await resultOf(WHOLE, 120.5), {
    ...{ route_id: 9, object_id: 7, ident: 'I "1"', name: 'Van\n71', deviation: 120.5 },
    ...{ distance: 1, share_inside: 0.1235 },
    deviations: [
      {
        start_time: '1970-01-01T00:00:00.000Z',
        end_time: '1970-01-01T00:01:01.499Z',
        silent_time: 30,
        greatest_distance: 412.7,
      },
    ],
    waypoints: [
      {
        ...{ order: 1, nearest_distance: 0.01 },
        ...{ time: '1970-01-01T00:00:01.000Z', visited_in_order: false },
      },
    ],
  })
})

it('adherence without positions, and to a route without a deviation, has nulls', async () => {
  const waypoint = { order: 1, nearestDistance: null, time: null, isVisitedInOrder: null }
  const none = { distance: null, shareInside: null, deviations: [], waypoints: [waypoint] }
  const { deviation, distance, share_inside, waypoints } = await resultOf(none, null)
  assert.deepEqual([deviation, distance, share_inside], [null, null, null])
  assert.deepEqual(waypoints[0].visited_in_order, null)
})
