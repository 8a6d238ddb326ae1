import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import type { Fleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { DAY, drive, MINUTE, untilOf } from '../trips/records-fleet.ts'

const FIELDS = [
  ...['object_id', 'ident', 'name', 'date', 'distance', 'trips', 'moving_time', 'idle_time'],
  ...['stopped_time', 'first_time', 'last_time', 'max_speed', 'start_odometer', 'end_odometer'],
  ...['start_engine_hours', 'end_engine_hours', 'positions'],
]
const HOUR = 60 * MINUTE

const fleet = await sharedFleet()

async function senderWith(rows: Json[]): Promise<Sender & { ids: number[] }> {
  const sender = await senderOf(fleet as Fleet, fleet.take(), '--create-objects')
  await sender.post(rows)
  const objects = resultOf(await sender.get('/objects')) as { id: number; ident: string }[]
  const idents = [...new Set(rows.map(({ ident }) => ident))]
  return { ...sender, ids: idents.map((ident) => objects.find((o) => o.ident === ident)!.id) }
}

const iso = (time: number) => new Date(time).toISOString()
const times = (row: Json) => row.moving_time + row.idle_time + row.stopped_time

describe('GET /days: 200', async () => {
  // At 23:45 in UTC: the trip is over before midnight, and the last position of its day is at 23:59:20.
  const late = DAY + 23 * HOUR + 45 * MINUTE
  const lastBefore = DAY + 24 * HOUR - 40_000
  const sender = await senderWith([
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
    assert.deepEqual([day.ident, day.trips, day.max_speed], ['D-1', 2, 36])
    assert.deepEqual([day.first_time, day.last_time], [iso(DAY + 8 * HOUR), iso(lastBefore)])
    assert.ok(day.distance > 3.98 && day.distance < 4.03, day.distance)
    assert.ok(Math.abs(day.end_odometer - day.start_odometer - day.distance) < 0.011)
    assert.equal(times(day), (lastBefore - DAY - 8 * HOUR) / 1_000)
    assert.deepEqual([next.trips, next.distance], [0, 0])
    assert.deepEqual([next.start_odometer, next.end_odometer], Array(2).fill(day.end_odometer))
    // The leg over midnight ends on the second day.
    const last = Date.parse(next.last_time)
    assert.equal(times(next), (last - lastBefore) / 1_000)
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
    assert.notDeepEqual(await dates('&tz=UTC'), inMadrid)
    await fleet.run('org', 'update', String(sender.id), '--time-zone', 'UTC')
  })

  it('costs each object of a page one unit, all or none', async () => {
    const paying = await senderWith([...drive('D-1', DAY), ...drive('D-2', DAY)])
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
})

describe('GET /days over days of other lengths: 200', async () => {
  // Each hour, standing, over the end of summer time and over the day that Samoa skipped.
  const hourly = (ident: string, from: number, hours: number) =>
    Array.from({ length: hours }, (_, hour) => ({
      ...{ ident, latitude: 41, longitude: 2, speed: 0, ignition: false },
      time_device: iso(from + hour * HOUR),
    }))
  const sender = await senderWith([
    ...hourly('D-3', Date.UTC(2025, 9, 24, 22), 72),
    ...hourly('D-4', Date.UTC(2025, 2, 28, 23), 72),
    ...hourly('D-5', Date.UTC(2011, 11, 29, 10), 48),
    ...hourly('D-6', Date.UTC(2026, 0, 10, 18), 48),
  ])
  const counts = async (index: number, query: string) =>
    (resultOf(await sender.get(`/days?${query}&ids=${sender.ids[index]}`)) as Json[]).map(
      ({ date, positions }) => [date, positions],
    )

  it('has 25 hours where clocks are set back, and 23 where they are set forward', async () => {
    const autumn = 'from_date=2025-10-25&to_date=2025-10-27&tz=Europe/Madrid'
    assert.deepEqual(await counts(0, autumn), [
      ['2025-10-25', 24],
      ['2025-10-26', 25],
      ['2025-10-27', 23],
    ])
    const spring = 'from_date=2025-03-29&to_date=2025-03-31&tz=Europe/Madrid'
    assert.deepEqual(await counts(1, spring), [
      ['2025-03-29', 24],
      ['2025-03-30', 23],
      ['2025-03-31', 24],
    ])
  })

  it('leaves out the day that a zone skipped, and knows offsets of quarters of an hour', async () => {
    const samoa = 'from_date=2011-12-29&to_date=2011-12-31&tz=Pacific/Apia'
    assert.deepEqual(await counts(2, samoa), [
      ['2011-12-29', 24],
      ['2011-12-31', 24],
    ])
    assert.deepEqual(await counts(2, samoa.replace('-31', '-30')), [['2011-12-29', 24]])
    const nepal = 'from_date=2026-01-11&to_date=2026-01-11&tz=Asia/Kathmandu'
    assert.deepEqual(await counts(3, nepal), [['2026-01-11', 24]])
  })

  it('has pages, which Link joins', async () => {
    const query = 'from_date=2011-01-01&to_date=2026-12-31&tz=Asia/Tokyo'
    const whole = resultOf(await sender.get(`/days?${query}`))
    const found: Json[] = []
    let path: string | undefined = `/days?${query}&limit=6`
    let pages = 0
    while (path !== undefined) {
      const answer = await sender.get(path)
      found.push(...resultOf(answer))
      pages += 1
      path = /<[^>]*\/public\/v1([^>]+)>; rel="next"/.exec(`${answer.headers.link ?? ''}`)?.[1]
    }
    assert.deepEqual(found, whole)
    assert.equal(pages, Math.ceil(whole.length / 6))
  })
})
