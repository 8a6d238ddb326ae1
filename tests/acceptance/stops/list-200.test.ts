import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { DAY, driven, MINUTE, RANGE } from '../trips/records-fleet.ts'

const FIELDS = [
  ...['id', 'object_id', 'ident', 'name', 'start_time', 'end_time', 'latitude', 'longitude'],
  ...['address', 'duration', 'idle_time', 'positions', 'longest_gap', 'geofence_ids', 'site_ids'],
  ...['open', 'revision', 'updated_at'],
]

const fleet = await startFleet()
const at = (minutes: number) => new Date(DAY + minutes * MINUTE).toISOString()

describe('GET /stops: 200', async () => {
  const sender = await driven(fleet, ['S-1'])
  const [site] = resultOf(await sender.get('/sites'))
  const list = async (query = '') =>
    resultOf(await sender.get(`/stops?${RANGE}&ids=${sender.ids[0]}${query}`))

  it('lists what lies between the trips, and the places there', async () => {
    const [before, after, ...others] = await list()
    assert.deepEqual(others, [])
    assert.deepEqual(Object.keys(before), FIELDS)
    assert.deepEqual([before.start_time, before.end_time], [at(0), at(10)])
    assert.deepEqual([before.latitude, before.longitude, before.address], [41, 2, 'At 0 m'])
    assert.deepEqual([before.duration, before.positions, before.longest_gap], [600, 11, 60])
    assert.deepEqual([before.geofence_ids, before.site_ids, before.open], [[], [site.id], false])
    assert.deepEqual([after.start_time, after.end_time, after.open], [at(10 + 20 / 6), null, true])
    assert.deepEqual([after.duration, after.site_ids], [600, []])
  })

  it('leaves out shorter ones', async () => {
    assert.equal((await list('&min_duration=600')).length, 2)
    assert.equal((await list('&min_duration=601')).length, 0)
  })
})
