import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { senderWith } from '../harness/sender.ts'
import { DAY, drive, MINUTE, untilOf } from '../trips/records-fleet.ts'

const FIELDS = [
  ...['object_id', 'ident', 'name', 'date', 'distance', 'trips', 'moving_time', 'idle_time'],
  ...['stopped_time', 'silent_time', 'first_time', 'last_time', 'max_speed', 'start_odometer'],
  ...['end_odometer', 'start_engine_hours', 'end_engine_hours', 'positions'],
]
const HOUR = 60 * MINUTE

const fleet = await startFleet()

const iso = (time: number) => new Date(time).toISOString()
const times = (row: Json) => row.moving_time + row.idle_time + row.stopped_time + row.silent_time

describe('GET /days: 200', async () => {
  // At 23:45 in UTC: the trip is over before midnight, and the last position of its day is at 23:59:20.
  const late = DAY + 23 * HOUR + 45 * MINUTE
  const lastBefore = DAY + 24 * HOUR - 40_000
  const sender = await senderWith(fleet, [
    ...drive('D-1', DAY + 8 * HOUR),
    ...drive('D-1', late),
    ...drive('D-2', DAY),
  ])
  const [first, second] = sender.ids as [number, number]
  const list = async (query: string) => resultOf(await sender.get(`/days?${query}`)) as Json[]
  const range = 'from_date=2026-05-04&to_date=2026-05-05'

  it('has a row for each object and day with positions, with the documented fields in their order', async () => {
    const answer = await sender.get(`/days?${range}`)
    const rows = (resultOf(answer) as Json[]).filter(({ ident }) => ident.startsWith('D-'))
    assert.deepEqual(
      rows.map(({ object_id, date }) => [object_id, date]),
      [
        [first, '2026-05-04'],
        [first, '2026-05-05'],
        [second, '2026-05-04'],
      ],
    )
    const [day, next] = rows as [Json, Json]
    assert.deepEqual(Object.keys(day), FIELDS)
    // Between the two drives it came back in silence.
    assert.deepEqual([day.ident, day.trips, day.max_speed], ['D-1', 3, 36])
    assert.ok(day.silent_time > 15 * 3_600, day.silent_time)
    assert.deepEqual([day.first_time, day.last_time], [iso(DAY + 8 * HOUR), iso(lastBefore)])
    // Each drive has 2 km, and so has the way back.
    assert.ok(day.distance > 5.97 && day.distance < 6.045, day.distance)
    assert.ok(Math.abs(day.end_odometer - day.start_odometer - day.distance) < 0.011)
    assert.equal(times(day), (lastBefore - DAY - 8 * HOUR) / 1_000)
    assert.deepEqual([next.trips, next.distance], [0, 0])
    assert.deepEqual([next.start_odometer, next.end_odometer], Array(2).fill(day.end_odometer))
    // The leg over midnight ends on the second day. Its time before midnight counts to no day.
    const last = Date.parse(next.last_time)
    assert.equal(times(next), (last - DAY - 24 * HOUR) / 1_000)
    assert.match(untilOf(answer)!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('begins and ends days in the time zone asked for, or else in that of the organization', async () => {
    const dates = async (query = '') =>
      (await list(`${range}&ids=${first}${query}`)).map(({ date, positions }) => [date, positions])
    const inMadrid = await dates('&tz=Europe/Madrid')
    assert.deepEqual(
      inMadrid.map(([date]) => date),
      ['2026-05-04', '2026-05-05'],
    )
    assert.equal(inMadrid[0]![1], inMadrid[1]![1])
    const inHonolulu = await dates('&tz=Pacific/Honolulu')
    assert.deepEqual(
      inHonolulu.map(([date]) => date),
      ['2026-05-04'],
    )
    await fleet.run('org', 'update', String(sender.id), '--time-zone', 'Europe/Madrid')
    assert.deepEqual(await dates(), inMadrid)
    const zoneOf = async (query = '') =>
      (await sender.get(`/days?${range}&ids=${first}${query}`)).headers['x-time-zone']
    assert.equal(await zoneOf(), 'Europe/Madrid')
    assert.equal(await zoneOf('&tz=Asia/Tokyo'), 'Asia/Tokyo')
    assert.notDeepEqual(await dates('&tz=UTC'), inMadrid)
    await fleet.run('org', 'update', String(sender.id), '--time-zone', 'UTC')
  })

  it('costs each object of a page one unit, all or none', async () => {
    const paying = await senderWith(fleet, [...drive('P-1', DAY), ...drive('P-2', DAY)])
    const ask = (...ids: number[]) => paying.get(`/days?${range}&ids=${ids.join()}`)
    await fleet.run('org', 'update', String(paying.id), '--daily-quota', '2')
    const without = () => paying.get(`/days?from_date=2026-05-09&to_date=2026-05-09`)
    const empty = await without()
    assert.deepEqual([resultOf(empty), empty.headers['x-quota-limit']], [[], undefined])
    assert.equal((await ask(paying.ids[0]!)).headers['x-quota-remaining'], '1')
    assert.equal((await ask(...paying.ids)).headers['x-quota-remaining'], '0')
    const refused = await ask(...paying.ids)
    assert.deepEqual([refused.status, refused.json.errorCode], [400, 'PUBLIC.400_005'])
    assert.equal(refused.headers['x-quota-exhausted'], String(paying.ids[0]))
    assert.equal((await ask(paying.ids[1]!)).headers['x-quota-remaining'], '0')
    assert.equal((await without()).status, 400, 'the answer would say when it did not drive')
  })

  it('has pages, which Link joins', async () => {
    const { rows, answers } = await allPages(sender.get, `/days?${range}&limit=2`)
    assert.deepEqual(rows, await list(range))
    assert.equal(answers.length, Math.ceil(rows.length / 2))
    const own = `${range}&ids=${sender.ids[0]}`
    assert.deepEqual((await allPages(sender.get, `/days?${own}&limit=1`)).rows, await list(own))
  })
})
