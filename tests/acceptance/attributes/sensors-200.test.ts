import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderWith } from '../harness/sender.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { untilTrips } from './attributes-fleet.ts'

/*
 * Sensors that know nothing still send something.
 */

const fleet = await startFleet()
const START = Date.UTC(2026, 4, 4, 8)
const MINUTE = 60_000

type Values = Readonly<Record<string, number | string>>

/** A trip with a position every two minutes that has these values, and the stop after it. */
function tripWith(ident: string, values: readonly Values[]): Json[] {
  const rows = values.map((attributes, index) => {
    const isLast = index === values.length - 1
    return {
      ...{ ident, time_device: START + 2 * index * MINUTE, attributes },
      ...{ latitude: 50 + Math.min(index, values.length - 2) * 0.01, longitude: 13 },
      ...{ speed: isLast ? 0 : 55, ignition: !isLast },
    }
  })
  const { attributes: _, ...last } = rows.at(-1)!
  const stands = [10, 15, 20].map((minutes) => ({
    ...last,
    time_device: last.time_device + minutes * MINUTE,
  }))
  return [...rows, ...stands]
}

type Published = Sender & { ids: number[] }

async function published(rows: Json[]): Promise<Published> {
  const sender = await senderWith(fleet, rows)
  await fleet.run('attributes', 'publish', '--all', '--yes', '--org', String(sender.id))
  return sender
}

async function tripOf(sender: Published): Promise<Json> {
  const range = `ids=${sender.ids[0]}&${RANGE}&include=attributes`
  await untilTrips(sender, 1, range)
  const [trip] = resultOf(await sender.get(`/trips?${range}`)) as Json[]
  return trip!.attributes
}

describe('A probe that is unplugged, or read wrongly, five times in a trip', async () => {
  const sent = [-18.2, -18.1, 429_496_729.4, -18, 300, -17.9, -127, -17.8, 85, 6_553.5, -17.5]
  const sender = await published(
    tripWith(
      'reefer',
      sent.map((temp1) => ({ temp1 })),
    ),
  )

  it('has the temperatures that it measured in the trip', async () => {
    const { temp1 } = await tripOf(sender)
    assert.deepEqual(temp1, { first: -18.2, last: -17.5, min: -18.2, max: -17.5 })
  })

  it('has no value in a row of the history, and holds at a moment', async () => {
    const [id] = sender.ids
    const rows = resultOf(await sender.get(`/objects/${id}/positions?${RANGE}&attributes=temp1`))
    const shown = rows.slice(0, sent.length).map(({ attributes }: Json) => attributes.temp1)
    const wrong = [2, 4, 6, 8, 9]
    assert.deepEqual(
      shown,
      sent.map((value, index) => (wrong.includes(index) ? undefined : value)),
    )
    const time = new Date(START + 18 * MINUTE).toISOString()
    const [row] = resultOf(
      await sender.get(`/positions/at?ids=${id}&time=${time}&attributes=temp1`),
    )
    assert.deepEqual(row.attributes, { temp1: -17.8 })
  })
})

describe('A driver whose tag is sent once, and then 0', async () => {
  const tag = '012E717F010000'
  const sent = ['0', tag, '0', '0', 0, tag, '', '0', '0', '0', '0']
  const sender = await published(
    tripWith(
      'zero',
      sent.map((driverUniqueId) => ({ driverUniqueId })),
    ),
  )

  it('drove from the first packet with the tag on, and nobody named 0 did', async () => {
    const { driver } = await tripOf(sender)
    assert.deepEqual(driver.values, [{ value: tag, share: 0.9 }])
  })
})

describe('A driver whose tag is sent once, and never again', async () => {
  const tag = '012E717F010000'
  const sent = ['0', '0', tag, '0', '0', '0']
  const sender = await published(
    tripWith(
      'once',
      sent.map((driverUniqueId) => ({ driverUniqueId })),
    ),
  )

  it('still drives, in every answer with current values', async () => {
    const [id] = sender.ids
    const org = ['--org', String(sender.id)]
    await fleet.run('attributes', 'set', 'driver', '--no-ends-with-ignition', ...org)
    const [late] = tripWith('once', [{ driverUniqueId: '0' }, {}])
    await sender.post([{ ...late!, time_device: START + MINUTE }])
    const at = new Date(START + 60 * MINUTE).toISOString()
    const rows = [
      resultOf(await sender.get(`/objects/${id}?include=attributes`)),
      ...resultOf(await sender.get(`/positions/latest?ids=${id}&include=attributes`)),
      ...resultOf(await sender.get(`/positions/at?ids=${id}&time=${at}&include=attributes`)),
    ]
    const { changes } = resultOf(
      await sender.get(`/changes?from=snapshot&types=states&ids=${id}&include=attributes`),
    )
    rows.push(changes.find(({ type }: Json) => type === 'state').state)
    const shown = {
      attributes: { driver: tag },
      attributes_at: { driver: new Date(START + 4 * MINUTE).toISOString() },
    }
    for (const { attributes, attributes_at } of rows)
      assert.deepEqual({ attributes, attributes_at }, shown)
  })
})

describe('A name that is known as a number, and carries a text', async () => {
  const texts = { io3: '57.95%', event: 'motionchange' }
  const sender = await published(tripWith('probe', [texts, texts, texts]))

  it('shows the text', async () => {
    const latest = `/positions/latest?ids=${sender.ids[0]}&include=attributes`
    const [row] = resultOf(await sender.get(latest)) as Json[]
    assert.deepEqual(row!.attributes, { event: 'motionchange', io3: '57.95%' })
  })
})

describe('Makers that send one name in other units', async () => {
  const rows = [
    { ident: 'mk1', power: 12.6 },
    { ident: 'mk2', power: 12_600 },
  ].map(({ ident, power }) => ({
    ...{ ident, time_device: START, latitude: 52, longitude: 13, speed: 0 },
    attributes: { power },
  }))
  const sender = await published(rows)
  const [first, second] = sender.ids
  const latest = async (attribute: string) => {
    const path = `/positions/latest?ids=${first},${second}&attributes=${attribute}`
    const found = resultOf(await sender.get(path)) as Json[]
    return found.map(({ attributes }) => attributes[attribute])
  }

  it('have no value until the operator says so, who sees it', async () => {
    assert.deepEqual(await latest('power'), [12.6, undefined])
    const { items } = await fleet.json('attributes', 'list', '--org', String(sender.id))
    const { out_of_range: wrong } = items.find(({ name }: Json) => name === 'power')
    assert.deepEqual([wrong.count, wrong.value, wrong.object], [1, 12_600, second])
  })

  it('have a scale of their own', async () => {
    const sources = JSON.stringify([{ name: 'power', scale: 0.001, objects: [second] }, 'power'])
    const org = ['--org', String(sender.id)]
    await fleet.run('attributes', 'set', 'power', '--sources', sources, ...org)
    assert.deepEqual(await latest('power'), [12.6, 12.6])
  })
})

describe('Two versions of an app', async () => {
  const place = { time_device: START, latitude: 25.1, longitude: -100.2 }
  const sender = await published([
    { ...place, ident: 'v9', attributes: { 'battery.level': 0.65, 'battery.is_charging': false } },
    { ...place, ident: 'v10', attributes: { batt: 65, charge: false } },
    { ...place, ident: 'unknown', attributes: { 'battery.level': -1 } },
  ])

  it('have one attribute, and no level that is unknown', async () => {
    const latest = `/positions/latest?ids=${sender.ids}&include=attributes`
    const rows = resultOf(await sender.get(latest)) as Json[]
    const same = { battery_level: 65, charge: false }
    assert.deepEqual(
      rows.map(({ attributes }) => attributes),
      [same, same, {}],
    )
  })
})

describe('A counter of used fuel whose adapter starts again', async () => {
  const sent = {
    c0: [812.3, 812.6, 812.9, 813.2],
    c1: [812.3, 0, 812.9, 813.2],
    c2: [812.3, 4_294_967_295, 812.9, 813.2],
    c3: [0, 812.6, 812.9, 813.2],
  }
  const rows = Object.entries(sent).flatMap(([ident, values]) =>
    tripWith(
      ident,
      values.map((fuelUsed) => ({ fuelUsed })),
    ),
  )
  // The order of arrival makes no difference.
  const sender = await published(
    rows.toSorted((a, b) => a.speed - b.speed || b.time_device - a.time_device),
  )
  const gains = async (path: string) => {
    const found = resultOf(await sender.get(`${path}&attributes=fuel_used`)) as Json[]
    return sender.ids.map((id) =>
      found
        .filter(({ object_id }) => object_id === id)
        .reduce((sum, { attributes }) => sum + (attributes.fuel_used?.gain ?? 0), 0),
    )
  }

  it('has gained on a day what it counted', async () => {
    const right = Object.fromEntries([
      ['c0', 0.9],
      ['c1', 0.9],
      ['c2', 0.9],
      ['c3', 0.6],
    ])
    const objects = resultOf(await sender.get('/objects')) as Json[]
    const expected = sender.ids.map((id) => right[objects.find((each) => each.id === id)!.ident])
    assert.equal(expected.length, 4)
    const days = `/days?ids=${sender.ids}&from_date=2026-05-04&to_date=2026-05-04`
    assert.deepEqual(await gains(days), expected)
  })
})
