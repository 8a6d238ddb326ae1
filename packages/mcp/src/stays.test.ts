import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Geofence, Site, Visit } from '@fleetgate/client'
import { stayReader } from './stays.ts'

const at = (minute: number) => Date.UTC(2026, 4, 4, 8, minute)
const PLACE = {
  name: 'Depot',
  geofences: [{ id: 1, name: 'Depot' } as Geofence],
  sites: [{ id: 1, name: 'depot' } as Site],
}

function visit(place_type: 'geofence' | 'site', from: number, to: number, open = false): Visit {
  return {
    ...{ object_id: 7, name: 'Van', place_type, place_id: 1, duration: (to - from) * 60 },
    start_time: new Date(at(from)).toISOString(),
    end_time: open ? null : new Date(at(to)).toISOString(),
  } as Visit
}

const summary = (visits: Visit[], from = 0, to = 59) =>
  stayReader([PLACE], { from: at(from), to: at(to) - 1 })(visits).map(
    ({ arrived, left, seconds }) => [
      (arrived - at(0)) / 60_000,
      left === null ? null : (left - at(0)) / 60_000,
      seconds,
    ],
  )

it('visits to a geofence and a site of one name that overlap are one stay', () => {
  assert.deepEqual(summary([visit('geofence', 0, 20), visit('site', 5, 10)]), [[0, 20, 1_200]])
  assert.deepEqual(summary([visit('site', 5, 30), visit('geofence', 0, 20)]), [[0, 30, 1_800]])
  const apart = [visit('geofence', 0, 5), visit('site', 10, 15)]
  assert.deepEqual(summary(apart), [
    [0, 5, 300],
    [10, 15, 300],
  ])
})

it('a stay has not ended while one of its visits is open, and its seconds are within the range', () => {
  const open = [visit('geofence', 0, 20, true), visit('site', 5, 10)]
  assert.deepEqual(summary(open), [[0, null, 1_200]])
  assert.deepEqual(summary(open, 15, 18), [[0, null, 180]])
  const again = [visit('geofence', 0, 5, true), visit('site', 10, 15)]
  assert.deepEqual(summary(again), [[0, null, 600]], 'the time outside does not count')
})
