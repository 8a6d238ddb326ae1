import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { scoped } from '../harness/scoped.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { refrigerated, untilTrips } from './attributes-fleet.ts'
import { refrigeratedDay, shown } from './refrigerated-day.ts'

const fleet = await startFleet()
const iso = (time: number) => new Date(time).toISOString()

describe('Attributes for a key with a range of time: 200', async () => {
  const sender = await refrigerated(fleet)
  const { van } = sender
  await untilTrips(sender, 4, RANGE)
  const day = refrigeratedDay('R-1')
  // The driver of this range took the seat before it, and the next one after it.
  const visible = day.slice(22, 60)
  const [from, until] = [visible[0]!.time, visible.at(-1)!.time]
  const bounded = await scoped(
    fleet,
    sender,
    ...['--data-from', iso(from), '--data-until', iso(until)],
  )
  const list = async (path: string) => resultOf(await bounded.get(path)) as Json[]
  const newest = shown(visible.at(-1)!.values)

  it('are current with those of its newest position, in each answer that has them', async () => {
    const [latest] = await list(`/positions/latest?ids=${van}&include=attributes`)
    const detail = resultOf(await bounded.get(`/objects/${van}?include=attributes`))
    const changes = resultOf(
      await bounded.get(`/changes?from=snapshot&types=states&ids=${van}&include=attributes`),
    )
    const at = Object.fromEntries(Object.keys(newest).map((name) => [name, iso(until)]))
    const { state } = changes.changes.find(({ type }: Json) => type === 'state')
    for (const each of [latest!, detail, state]) {
      assert.deepEqual([each.attributes, each.attributes_at], [newest, at])
    }
    assert.ok(!('driver' in newest) && !('door' in newest))
  })

  it('are those of the visible rows of a day, without a step or a text from before them', async () => {
    const [whole] = await list(
      `/days?from_date=2026-05-04&to_date=2026-05-04&ids=${van}&include=attributes`,
    )
    const fuel = visible.flatMap(({ values }) => values.totalFuel ?? [])
    const tenths = visible.map(({ values }) => values.temp1!)
    const { fuel_used, temperature, driver } = whole!.attributes
    assert.equal(fuel_used.gain, (fuel.at(-1)! - fuel[0]!) / 1_000)
    assert.deepEqual([fuel_used.first, fuel_used.last], [fuel[0]! / 1_000, fuel.at(-1)! / 1_000])
    const [min, max] = [Math.min(...tenths) / 10, Math.max(...tenths) / 10]
    assert.deepEqual([temperature.min, temperature.max], [min, max])
    assert.equal(driver, undefined)
  })

  it('are those of the visible rows of a trip', async () => {
    const path = `ids=${van}&${RANGE}&include=attributes`
    const all = resultOf(await sender.get(`/trips?${path}`)) as Json[]
    const trip = all.find(({ start_time }) => Date.parse(start_time) > from)!
    const [start, end] = [trip.start_time, trip.end_time]
    assert.deepEqual(trip.attributes.driver.values[0].value, 'A. Kaya')
    const only = await scoped(fleet, sender, '--data-from', start, '--data-until', end)
    const [seen] = resultOf(await only.get(`/trips?${path}`)) as Json[]
    assert.equal(seen!.start_time, start)
    assert.equal(seen!.attributes.driver, undefined)
    const within = day.filter(({ time }) => time >= Date.parse(start) && time <= Date.parse(end))
    const fuel = within.flatMap(({ values }) => values.totalFuel ?? [])
    assert.equal(seen!.attributes.fuel_used.gain, (fuel.at(-1)! - fuel[0]!) / 1_000)
  })
})

describe('A position that is not believed, alone in the range of a key: 200', () => {
  it('has its attributes in the history and in /changes', async () => {
    const sender = await refrigerated(fleet, 'R-2')
    const time = iso(refrigeratedDay('R-2').at(-1)!.time + 60_000)
    const attributes = { temp1: -50 }
    const far = { ident: 'R-2', time_device: time, latitude: 10, longitude: 10, attributes }
    assert.equal((await sender.post([far])).stored, 1)
    const alone = await scoped(fleet, sender, '--data-from', time)
    const shownAt = `/objects/${sender.van}/positions?from_time=${time}&to_time=${time}&include=attributes`
    const [row] = resultOf(await alone.get(shownAt)) as Json[]
    const { changes } = resultOf(await alone.get('/changes?from=history&include=attributes'))
    const entry = changes.find(({ type }: Json) => type === 'position')
    assert.deepEqual(row!.attributes, { temperature: -5 })
    assert.deepEqual(entry.position.attributes, row!.attributes)
  })
})
