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

describe('A name that is known as a number, and carries a text', async () => {
  const texts = { io3: '57.95%', event: 'motionchange' }
  const sender = await published(tripWith('probe', [texts, texts, texts]))

  it('shows the text', async () => {
    const latest = `/positions/latest?ids=${sender.ids[0]}&include=attributes`
    const [row] = resultOf(await sender.get(latest)) as Json[]
    assert.deepEqual(row!.attributes, { event: 'motionchange', io3: '57.95%' })
  })
})
