import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { RANGE, untilRecords } from '../trips/records-fleet.ts'
import { refrigerated, untilTrips } from './attributes-fleet.ts'
import { refrigeratedDay } from './refrigerated-day.ts'

const fleet = await startFleet()

describe('Attributes of trips, stops and days: 200', async () => {
  const sender = await refrigerated(fleet)
  await untilTrips(sender, 4, RANGE)
  const day = refrigeratedDay('R-1')
  const range = `ids=${sender.van}&${RANGE}&include=attributes`
  const list = async (path: string) => resultOf(await sender.get(path)) as Json[]
  const trips = (await list(`/trips?${range}`)).filter(({ open }) => !open)
  const stops = await list(`/stops?${range}`)
  const [whole] = await list(
    `/days?from_date=2026-05-04&to_date=2026-05-04&ids=${sender.van}&include=attributes`,
  )

  /** The time of a record, both ends included. */
  const timeOf = ({ start_time, end_time }: Json): [number, number] => {
    const end = end_time === null ? day.at(-1)!.time : Date.parse(end_time)
    return [Date.parse(start_time), end]
  }
  const within = ([from, to]: [number, number]) =>
    day.filter(({ time }) => time >= from && time <= to)

  it('have the first, last, least and greatest number of a trip', () => {
    assert.ok(trips.length >= 4, `${trips.length} trips`)
    for (const trip of trips) {
      const rows = within(timeOf(trip))
      const tenths = rows.map(({ values }) => values.temp1!)
      assert.deepEqual(trip.attributes.temperature, {
        first: tenths[0]! / 10,
        last: tenths.at(-1)! / 10,
        min: Math.min(...tenths) / 10,
        max: Math.max(...tenths) / 10,
      })
    }
  })

  it('have the exact gain of a counter, with the step to the first value and without its new start', () => {
    for (const record of [...trips, ...stops]) {
      const [from, to] = timeOf(record)
      assert.equal(record.attributes.fuel_used.gain, gainOf(from, to) / 1_000)
    }
    assert.equal(whole!.attributes.fuel_used.gain, gainOf(0, Number.POSITIVE_INFINITY) / 1_000)
  })

  it('have gains of trips and stops in a row that add up to the gain of the day', () => {
    const millilitres = ({ attributes }: Json) => Math.round(attributes.fuel_used.gain * 1_000)
    const all = [...trips, ...stops].reduce((sum, record) => sum + millilitres(record), 0)
    assert.equal(all, millilitres(whole!))
  })

  it('have the texts of a trip and of a day with their parts of the time, the longest first', () => {
    for (const trip of trips) assert.deepEqual(trip.attributes.driver, sharesOf(...timeOf(trip)))
    const { driver, door } = whole!.attributes
    assert.deepEqual(driver, sharesOf(day[0]!.time, day.at(-1)!.time))
    assert.equal(driver.values.length, 2)
    assert.deepEqual(door.values.map(({ value }: Json) => value).sort(), [false, true])
  })

  it('have the ends of a stop', () => {
    for (const stop of stops) {
      const rows = within(timeOf(stop))
      const { temperature, fuel_used } = stop.attributes
      assert.deepEqual(temperature, {
        first: rows[0]!.values.temp1! / 10,
        last: rows.at(-1)!.values.temp1! / 10,
      })
      assert.deepEqual(Object.keys(fuel_used), ['first', 'last', 'gain'])
    }
  })

  it('are the same in pages, and their cursors belong to them', async () => {
    for (const [path, rows] of [
      [`/trips?${range}`, await list(`/trips?${range}`)],
      [`/stops?${range}`, stops],
    ] as const) {
      const paged = await allPages(sender.get, `${path}&limit=1`)
      assert.deepEqual(paged.rows, rows)
      const first = await sender.get(`${path}&limit=1`)
      const next = /\/public\/v1([^>]*)>/.exec(String(first.headers.link))![1]!
      const other = await sender.get(next.replace('include=attributes', 'attributes=driver'))
      assert.equal(other.status, 400)
    }
  })

  it('are columns of a table', async () => {
    const answer = await sender.get(
      `/trips?${range.replace('include=attributes', 'attributes=fuel_used,temperature,driver')}&format=csv`,
    )
    const [head, ...lines] = answer.text.trimEnd().split('\r\n')
    const columns = head!.split(',')
    assert.deepEqual(columns.slice(columns.indexOf('updated_at') + 1), [
      ...['driver__longest', 'driver__values', 'fuel_used__first', 'fuel_used__last'],
      ...['fuel_used__min', 'fuel_used__max', 'fuel_used__gain', 'temperature__first'],
      ...['temperature__last', 'temperature__min', 'temperature__max'],
    ])
    const all = await list(`/trips?${range}`)
    for (const [index, line] of lines.entries()) {
      const { temperature, fuel_used } = all[index]!.attributes
      const { first, last, min, max } = temperature
      assert.ok(line.endsWith(`,${[fuel_used.gain, first, last, min, max].join()}`), line)
    }
  })

  it('leave a record as it is without the parameter', async () => {
    const plain = await list(`/trips?${range.replace('&include=attributes', '')}`)
    const all = await list(`/trips?${range}`)
    assert.deepEqual(
      all.map(({ attributes: _, ...trip }) => trip),
      plain,
    )
  })

  it('are the same in whatever order the positions came', async () => {
    const rows = refrigeratedDay('R-2').map(({ row }) => row)
    const inTurn = [2, 0, 1].flatMap((turn) => rows.filter((_, index) => index % 3 === turn))
    for (let from = 0; from < inTurn.length; from += 20) {
      await sender.post(inTurn.slice(from, from + 20).reverse())
    }
    const objects = resultOf(await sender.get('/objects')) as Json[]
    const { id } = objects.find(({ ident }) => ident === 'R-2')!
    const other = range.replace(`ids=${sender.van}`, `ids=${id}`)
    // The last stop has no end, so its times say nothing about how far it is derived.
    const shownOf = (all: Json[]) =>
      all.map(({ start_time, end_time, attributes }) => [start_time, end_time, attributes])
    for (const [type, expected] of [
      ['trips', await list(`/trips?${range}`)],
      ['stops', stops],
    ] as const) {
      await untilRecords(sender, async () =>
        isDeepStrictEqual(shownOf(await list(`/${type}?${other}`)), shownOf(expected)),
      )
    }
    const [again] = await list(
      `/days?from_date=2026-05-04&to_date=2026-05-04&ids=${id}&include=attributes`,
    )
    assert.deepEqual(again!.attributes, whole!.attributes)
  })

  it('are computed from what is stored now', async () => {
    const [first] = trips
    const [from] = timeOf(first!)
    const warm = new Date(from + 5_000).toISOString()
    const { row } = day.find(({ time }) => time >= from)!
    await sender.post([{ ...row, time_device: warm, attributes: { temp1: 250 } }])
    const [again] = await list(`/trips?${range}`)
    assert.equal(again!.attributes.temperature.max, 25)
  })

  /** Milliliters: the sum of the rises whose later value is after `from` and not after `to`. */
  function gainOf(from: number, to: number): number {
    const sent = day.filter(({ values }) => values.totalFuel !== undefined)
    let sum = 0
    for (const [index, { time, values }] of sent.entries()) {
      const before = sent[index - 1]?.values.totalFuel
      if (before === undefined || time <= from || time > to) continue
      sum += Math.max(0, values.totalFuel! - before)
    }
    return sum
  }

  function sharesOf(from: number, to: number): Json {
    const sent = day.filter(({ values }) => values.driverCard !== undefined)
    const held = new Map<string, number>()
    for (const [index, { time, values }] of sent.entries()) {
      const [start, end] = [Math.max(time, from), Math.min(sent[index + 1]?.time ?? to, to)]
      if (end < start || time > to) continue
      if (end === start && time < from) continue
      held.set(values.driverCard!, (held.get(values.driverCard!) ?? 0) + end - start)
    }
    const values = [...held]
      .sort(([, a], [, b]) => b - a)
      .map(([value, time]) => ({ value, share: Number((time / (to - from)).toFixed(4)) }))
    return { values }
  }
})
