import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { DAY, driven, MINUTE, RANGE, untilOf, untilRecords } from './records-fleet.ts'

const ENDS = ['time', 'latitude', 'longitude', 'address', 'odometer', 'engine_hours']
const FIELDS = [
  ...['id', 'object_id', 'ident', 'name'],
  ...ENDS.map((field) => `start_${field}`),
  ...ENDS.map((field) => `end_${field}`),
  ...['distance', 'duration', 'moving_time', 'idle_time', 'silent_time', 'max_speed'],
  ...['average_speed', 'positions', 'longest_gap', 'open', 'revision', 'updated_at'],
]

const fleet = await startFleet()
const at = (minutes: number) => new Date(DAY + minutes * MINUTE).toISOString()

describe('GET /trips: 200', async () => {
  const sender = await driven(fleet, ['T-1', 'T-2', 'T-3'])
  const [first, second, third] = sender.ids as [number, number, number]

  it('lists the trips of a day by object, with the documented fields in their order', async () => {
    const answer = await sender.get(`/trips?${RANGE}`)
    const trips = resultOf(answer).filter(({ ident }: Json) => ident.startsWith('T-'))
    assert.deepEqual(
      trips.map(({ object_id }: Json) => object_id),
      [first, second, third].sort((a, b) => a - b),
    )
    const trip = trips.find(({ object_id }: Json) => object_id === first)
    assert.deepEqual(Object.keys(trip), FIELDS)
    assert.deepEqual([trip.start_time, trip.end_time], [at(10), at(10 + 20 / 6)])
    assert.deepEqual([trip.start_address, trip.end_address], ['At 0 m', 'At 2000 m'])
    assert.deepEqual([trip.start_latitude, trip.start_longitude], [41, 2])
    assert.ok(trip.distance >= 1.99 && trip.distance <= 2.02, trip.distance)
    assert.ok(Math.abs(trip.end_odometer - trip.start_odometer - trip.distance) < 0.011)
    assert.deepEqual([trip.duration, trip.positions], [200, 21])
    // Its speeds are 36 km/h.
    assert.equal(trip.max_speed, trip.average_speed)
    assert.equal(trip.moving_time + trip.idle_time <= trip.duration, true)
    assert.ok(trip.average_speed > 35.8 && trip.average_speed < 36.4)
    assert.deepEqual([trip.longest_gap, trip.open], [10, false])
    assert.match(untilOf(answer)!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('selects trips that overlap the range, and only of the objects asked for', async () => {
    const count = async (query: string) => resultOf(await sender.get(`/trips?${query}`)).length
    const own = `ids=${first}`
    assert.equal(await count(`from_time=${at(10)}&to_time=${at(10)}&${own}`), 1)
    assert.equal(await count(`from_time=${at(12)}&to_time=${at(12)}&${own},999999999`), 1)
    assert.equal(await count(`from_time=${at(14)}&to_time=${at(15)}&${own}`), 0)
    assert.equal(await count(`${RANGE}&ids=${first}&ids=${second}`), 2)
  })

  it('has pages, which Link joins', async () => {
    const whole = resultOf(await sender.get(`/trips?${RANGE}&ids=${sender.ids.join()}`))
    const path = `/trips?${RANGE}&ids=${sender.ids.join()}&limit=2`
    const { rows, answers } = await allPages(sender.get, path)
    assert.deepEqual(rows, whole)
    assert.equal(answers.length, 2)
  })

  it('keeps the id of a trip that a late position changes, and raises its revision', async () => {
    // The window of the first organization is nearly full.
    const other = await driven(fleet, ['T-4'])
    const find = async () => resultOf(await other.get(`/trips?${RANGE}&ids=${other.ids}`))[0]
    const before = await find()
    const time_device = new Date(Date.parse(before.start_time) + 65_000).toISOString()
    const late = { latitude: 41.001, longitude: 2 + 650 / 84_000, speed: 36, ignition: true }
    await other.post([{ ident: 'T-4', time_device, ...late }])
    let after = before
    await untilRecords(other, async () => {
      after = await find()
      return after.revision > before.revision
    })
    assert.equal(after.id, before.id)
    assert.ok(after.distance > before.distance)
    assert.equal(after.positions, before.positions + 1)
  })

  it('costs each object of a page one unit, all or none', async () => {
    const other = await driven(fleet, ['T-5', 'T-6'])
    const [first, second] = other.ids as [number, number]
    const limitTo = (quota: number) =>
      fleet.run('org', 'update', String(other.id), '--daily-quota', String(quota))
    const ask = (...ids: number[]) => other.get(`/trips?${RANGE}&ids=${ids.join()}`)
    const left = async (id: number) => Number((await ask(id)).headers['x-quota-remaining'])
    await limitTo(1_000)
    const [ofFirst, ofSecond] = [await left(first), await left(second)]
    assert.equal(await left(first), ofFirst - 1)
    await limitTo(1_000 - ofFirst + 1)
    const refused = await ask(first, second)
    assert.deepEqual([refused.status, refused.json.errorCode], [400, 'PUBLIC.400_005'])
    assert.equal(refused.headers['x-quota-exhausted'], String(first))
    const without = (id: number) =>
      other.get(`/trips?from_time=${at(0)}&to_time=${at(1)}&ids=${id}`)
    const empty = await without(second)
    assert.deepEqual([resultOf(empty), empty.headers['x-quota-limit']], [[], undefined])
    assert.equal((await without(first)).status, 400, 'the answer would say when it did not drive')
    assert.equal(await left(second), ofSecond - ofFirst)
  })

  it('answers an organization without positions as of the time at which it was made', async () => {
    const { id, created_at } = await fleet.json('org', 'create', 'Without positions')
    const { key } = await fleet.json('key', 'issue', '--org', String(id), '--name', 'records')
    const headers = { 'x-api-key': key }
    const answer = await request(fleet.server.api, `/public/v1/trips?${RANGE}`, { headers })
    assert.deepEqual(resultOf(answer), [])
    assert.equal(untilOf(answer), created_at)
  })
})
