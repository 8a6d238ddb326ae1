import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { untilRecords } from '../trips/records-fleet.ts'
import { fleetOfAnswers, STAYS, VISITORS } from './fleet-of-answers.ts'
import { call, MAX_BYTES, overStdio } from './tools-client.ts'

const fleet = await startFleet()
const own = await fleetOfAnswers(fleet, true)
const [night, noon, silent, visitor] = own.ids as [number, number, number, number]
/** The organization also has the four objects that each has. */
const ALL = own.ids.length + Object.keys(own.objects).length
const FOREIGN = 999_999_999
await untilRecords(own, async () => {
  const visits = await own.get('/visits?from_time=2026-05-01&to_time=2026-05-31&limit=10000')
  return resultOf(visits).length === 2 * (2 + VISITORS * STAYS)
})

describe('Answers of the tools', () => {
  let client: Client
  before(async () => {
    client = await overStdio(fleet.server.api, own.key)
  })
  after(() => client.close())
  const ask = (name: string, input: Json) => call(client, name, input)

  it('find a plate whatever its spaces, dashes and case, and show it', async () => {
    for (const text of ['bxy12', 'B-XY 12', 'b xy-12', 'B·XY:12']) {
      const { count, vehicles } = await ask('find_vehicles', { text })
      assert.deepEqual([count, vehicles[0].id, vehicles[0].plate], [1, night, 'B-XY 12'], text)
    }
    const { vehicles } = await ask('where_is', { ids: [night, noon] })
    assert.deepEqual(
      vehicles.map(({ plate }: Json) => plate),
      ['B-XY 12', null],
    )
    assert.match((await ask('find_vehicles', { text: 'nothing' })).note, /No vehicle matches/)
    assert.match((await ask('find_vehicles', { text: ' - ' })).refused, /must contain a letter or/)
  })

  it('take a date as the local day, and give times on the local clock', async () => {
    const day = { from: '2026-05-04', to: '2026-05-04' }
    const { rows, from, to, time_zone, now } = await ask('trips_and_stops', { id: night, ...day })
    assert.equal(time_zone, 'Europe/Madrid')
    assert.match(now, /^\d{4}-\d\d-\d\dT[\d:.]+\+0[12]:00$/)
    assert.deepEqual([from, to], ['2026-05-04T00:00:00+02:00', '2026-05-04T23:59:59.999+02:00'])
    assert.equal(rows[0].start, '2026-05-04T00:30:00+02:00')
    const before = { from: '2026-05-03', to: '2026-05-03' }
    assert.equal((await ask('trips_and_stops', { id: night, ...before })).rows.length, 0)
    const hours = { from: '2026-05-04T00:30', to: '2026-05-04 00:45' }
    assert.equal((await ask('trips_and_stops', { id: night, ...hours })).trips, 1)
    const utc = { from: '2026-05-04T00:30Z', to: '2026-05-04T00:45Z' }
    assert.equal((await ask('trips_and_stops', { id: night, ...utc })).trips, 0)
  })

  it('take a distance from the days, and not from the rounded trips', async () => {
    const day = { from: '2026-05-04', to: '2026-05-06' }
    const days = `from_date=${day.from}&to_date=${day.to}`
    for (const id of [night, noon, silent]) {
      const read = resultOf(await own.get(`/days?${days}&ids=${id}`))
      const sum = read.reduce((all: number, { distance }: Json) => all + distance, 0)
      const { distance } = await ask('trips_and_stops', { id, ...day })
      assert.equal(distance, Math.round(sum * 100) / 100)
      const { total } = await ask('day_totals', { ids: [id], ...day })
      assert.equal(total.distance, distance)
      const part = { from: '2026-05-04T00:30', to: '2026-05-06' }
      assert.ok(!('distance' in (await ask('trips_and_stops', { id, ...part }))))
    }
  })

  it('say where a vehicle was at the end of a date', async () => {
    const at = async (date: string) =>
      (await ask('where_is', { ids: [noon], at: date })).vehicles[0]
    assert.equal((await at('2026-05-04')).address, 'At 3000 m')
    assert.equal((await at('2026-05-04T12:35')).address, 'At 0 m')
    assert.equal((await at('2026-05-03')).position_at, null)
  })

  it('total the days of one vehicle, several or all', async () => {
    const day = { from: '2026-05-04', to: '2026-05-04' }
    const { rows, total, distance_unit } = await ask('day_totals', day)
    assert.deepEqual(
      rows.map(({ id, plate, distance, trips }: Json) => [id, plate, Math.round(distance), trips]),
      [
        [noon, null, 3, 1],
        [night, 'B-XY 12', 2, 1],
      ],
    )
    assert.deepEqual(
      [total.vehicles, Math.round(total.distance), total.trips, distance_unit],
      [2, 5, 2, 'km'],
    )
    const slow = await ask('day_totals', { ...day, order: 'idle_seconds' })
    assert.deepEqual([slow.rows.length, slow.total], [2, total])
    const one = await ask('day_totals', { ids: [night], ...day })
    assert.deepEqual([one.rows.length, one.total.moving_seconds > 150], [1, true])
    const some = await ask('day_totals', { ids: [night, silent, FOREIGN], ...day })
    assert.deepEqual(
      [some.rows.length, some.vehicles_without_positions, some.unknown_ids],
      [1, 1, [FOREIGN]],
    )
    const week = { ids: [night, noon, silent], from: '2026-05-03', to: '2026-05-09' }
    const days = await ask('day_totals', { ...week, by: 'day' })
    assert.deepEqual(
      days.rows.map(({ date, vehicles }: Json) => [date, vehicles]),
      [
        ['2026-05-04', 2],
        ['2026-05-05', 1],
      ],
    )
    assert.equal(days.total.silent_seconds, 36_000)
    const both = await ask('day_totals', { ...week, by: 'vehicle_and_day' })
    assert.deepEqual([both.rows[0].date, both.rows[0].name], ['2026-05-04', 'M-1'])
  })

  it('count each vehicle at a place once, and all of them', async () => {
    const month = { place: 'depot', from: '2026-05-01', to: '2026-05-31' }
    const all = await ask('who_was_at', month)
    const { places, vehicles, vehicles_count, stays_count, left_out, to_continue } = all
    assert.deepEqual(places, [{ name: 'DEPOT', geofences: 1, sites: 1, vehicles: VISITORS + 2 }])
    assert.deepEqual([vehicles_count, stays_count], [VISITORS + 2, VISITORS * STAYS + 2])
    assert.ok(vehicles.length + left_out === VISITORS + 2)
    assert.match(to_continue, new RegExp(`skip=${vehicles.length}`))
    const rest: Json[] = []
    for (let skip = 0; skip < VISITORS + 2; ) {
      const { vehicles: more } = await ask('who_was_at', { ...month, skip })
      rest.push(...more)
      skip += more.length
    }
    assert.equal(new Set(rest.map(({ id }) => id)).size, VISITORS + 2)
    const { stays, more_stays, seconds_inside } = rest.find(({ id }) => id === visitor)!
    assert.deepEqual(
      [stays[0], stays.length + more_stays, seconds_inside],
      [
        { place: 'DEPOT', arrived: '2026-05-06T14:00:00+02:00', left: '2026-05-06T14:05:00+02:00' },
        STAYS,
        STAYS * 300,
      ],
    )
    const range = { from: '2026-05-06T14:02', to: '2026-05-06T14:03' }
    const part = await ask('who_was_at', { place: 'DE-POT', ...range, limit: 1 })
    assert.deepEqual([part.vehicles_count, part.vehicles[0].seconds_inside], [VISITORS, 60])
    const { refused } = await ask('who_was_at', { ...month, place: 'harbour' })
    assert.match(
      refused,
      /No geofence or site has 'harbour' in its name\. There are: DEPOT \| Depot\./,
    )
  })

  it('name the ids that are no vehicles', async () => {
    const { vehicles, unknown_ids } = await ask('where_is', { ids: [FOREIGN, noon] })
    assert.deepEqual([vehicles.length, unknown_ids], [1, [FOREIGN]])
    for (const [name, input] of [
      ['where_is', { ids: [FOREIGN] }],
      ['trips_and_stops', { id: FOREIGN, from: '2026-05-04', to: '2026-05-04' }],
      ['day_totals', { ids: [FOREIGN], from: '2026-05-04', to: '2026-05-04' }],
    ] as const) {
      assert.match((await ask(name, input)).refused, /No vehicle has the id 999999999/, name)
    }
  })

  it('say since when there was no signal, and which trip was silent', async () => {
    const { vehicles } = await ask('where_is', { ids: [silent] })
    assert.equal(vehicles[0].no_signal_since, '2026-05-05T21:10:00+02:00')
    const at = async (time: string) =>
      (await ask('where_is', { ids: [silent], at: time })).vehicles[0].no_signal_since
    assert.equal(await at('2026-05-05T12:00'), undefined, 'an hour, which it may be silent')
    assert.equal(await at('2026-05-05T12:01'), '2026-05-05T11:00:00+02:00')
    const day = { from: '2026-05-05', to: '2026-05-05' }
    const { rows, trips, silent_trips } = await ask('trips_and_stops', { id: silent, ...day })
    assert.deepEqual([trips, silent_trips], [0, 1])
    assert.deepEqual(
      rows.map(({ kind, seconds, max_speed }: Json) => [kind, seconds, max_speed]),
      [
        ['stop', 1_800, undefined],
        ['silent_trip', 36_000, undefined],
        ['stop', 600, undefined],
      ],
    )
    assert.deepEqual([rows[2].end, rows[2].no_signal_since], [null, vehicles[0].no_signal_since])
    const { count } = await ask('find_vehicles', { without_signal: true })
    assert.equal(count, ALL)
  })

  it('find what is near a place by its name', async () => {
    const near = await ask('vehicles_near', { place: 'dépot', radius_km: 2.5 })
    const { center, vehicles, vehicles_without_position } = near
    assert.equal(vehicles_without_position, 1, 'one never sent')
    assert.deepEqual(center, { place: 'DEPOT', latitude: 41, longitude: 2 })
    assert.deepEqual([vehicles[0].id, vehicles.length], [night, 1])
    assert.match(
      (await ask('vehicles_near', { latitude: 1 })).refused,
      /latitude and longitude, or/,
    )
  })

  it('refuse with what to ask instead', async () => {
    for (const [name, input, said] of [
      ['day_totals', { from: '2026-02-30', to: '2026-03-01' }, /from is not a date .*2026-02-30/],
      ['day_totals', { from: '2026-05-05', to: '2026-05-04' }, /from .* is after to/],
      [
        'day_totals',
        { from: '2020-01-01', to: '2026-01-01', by: 'vehicle_and_day' },
        /could have \d+ rows, and at most 20000 .* by='day'/,
      ],
      ['day_totals', { from: 'yesterday', to: '2026-05-04' }, /write a date, such as/],
      ['where_is', { ids: [noon], at: '2026-05-04T25:00' }, /at is not a date or time/],
      ['where_is', { ids: Array(5_000).fill('x') }, /ids/],
      ['day_totals', { id: noon, from: '2026-05-04', to: '2026-05-04' }, /"id"/],
    ] as const) {
      assert.match((await ask(name, input)).refused, said)
    }
  })

  it('say how much fuel a vehicle used', async () => {
    const org = ['--org', String(own.id)]
    const used = ['--sources', 'totalFuel', '--decimals', '1', '--is-counter', '--is-public']
    await fleet.run('attributes', 'set', 'fuel_used', ...org, ...used)
    const litres = [800.1, 803.2, 809.4]
    await own.post(
      litres.map((totalFuel, index) => ({
        ...{ ident: 'M-1', latitude: 45, longitude: 2, speed: 0, attributes: { totalFuel } },
        time_device: new Date(Date.UTC(2026, 4, 20 + index, 9)).toISOString(),
      })),
    )
    const asked = { ids: [night], from: '2026-05-20', to: '2026-05-22' }
    const { rows, total } = await ask('day_totals', { ...asked, attributes: ['fuel_used'] })
    const fuel = { fuel_used: { gain: 9.3, min: 800.1, max: 809.4 } }
    assert.deepEqual([rows[0].attributes, total.attributes], [fuel, fuel])
    assert.ok(!('attributes' in (await ask('day_totals', asked)).total))
  })
})

describe('Limits that the tools meet', () => {
  it('are passed on with when to try again', async (t) => {
    const small = await fleetOfAnswers(fleet)
    await untilRecords(
      small,
      async () =>
        resultOf(await small.get('/visits?from_time=2026-05-01&to_time=2026-05-31')).length >= 4,
    )
    const client = await overStdio(fleet.server.api, small.key)
    t.after(() => client.close())
    const [first, second] = small.ids as [number, number]
    await fleet.json('org', 'update', String(small.id), '--daily-quota', '9')
    for (;;) {
      const { refused } = await call(client, 'where_is', { ids: [first] })
      if (refused === undefined) continue
      assert.match(refused, new RegExp(`Vehicles without quota: ${first}\\.`))
      assert.match(refused, /renewed at \d{4}-\d\d-\d\dT00:00:00Z, in \d+ h \d+ min/)
      break
    }
    const both = await call(client, 'where_is', { ids: [first, second] })
    assert.deepEqual([both.vehicles.length, both.without_quota.ids], [1, [first]])
    const near = await call(client, 'vehicles_near', { place: 'Depot', radius_km: 5 })
    assert.deepEqual([near.count, near.without_quota.ids], [1, [first]])
    const days = await call(client, 'day_totals', { from: '2026-05-04', to: '2026-05-04' })
    assert.deepEqual([days.total.vehicles, days.without_quota.ids], [1, [first]])
    await fleet.json('org', 'update', String(small.id), '--subscription', 'suspended')
    const { refused } = await call(client, 'where_is', { ids: [second] })
    assert.match(refused, /only find_vehicles and usage answer/)
  })

  it('include the size of an answer, which says what it leaves out', async (t) => {
    const client = await overStdio(fleet.server.api, own.key)
    t.after(() => client.close())
    for (const [index, id] of own.ids.entries()) {
      const name = `${index} ${'Überführung '.repeat(20)}`.slice(0, 200).trim()
      await fleet.json('objects', 'update', '--org', String(own.id), String(id), '--name', name)
    }
    const names = new Set<string>()
    for (let skip = 0; ; ) {
      const answer = await call(client, 'find_vehicles', { limit: 100, skip })
      assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= MAX_BYTES)
      assert.equal(answer.count, ALL)
      for (const { name } of answer.vehicles) names.add(name)
      skip += answer.vehicles.length
      if (answer.left_out === undefined) break
      assert.equal(answer.left_out, ALL - skip)
      assert.match(answer.to_continue, new RegExp(`skip=${skip}, or write more of the text`))
    }
    assert.equal(names.size, ALL)
  })
})
