import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setCatalogue } from '../attributes/attributes-fleet.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { senderWith } from '../harness/sender.ts'
import { DAY, drive, MINUTE } from '../trips/records-fleet.ts'

const fleet = await startFleet()

const ADDED = [
  ...['distance', 'trips', 'moving_time', 'idle_time', 'stopped_time', 'silent_time', 'positions'],
]

describe('GET /days by a text: 200', async () => {
  const drives = [8, 12, 16].flatMap((hour) => drive('van', DAY + hour * 60 * MINUTE))
  const each = drives.length / 3
  let fuel = 0
  const sender = await senderWith(
    fleet,
    drives.map((row, index) => {
      fuel += 3
      // The first drive has no driver until its tenth position.
      const driverCard = { 10: 'B. Diaz', [each]: 'A. Kaya', [2 * each]: 'B. Diaz' }[index]
      return { ...row, attributes: { totalFuel: fuel, ...(driverCard && { driverCard }) } }
    }),
  )
  await setCatalogue(fleet, sender)
  const range = 'from_date=2026-05-04&to_date=2026-05-04'
  const rowsOf = async (query: string) =>
    resultOf(await sender.get(`/days?${range}${query}`)) as Json[]
  const [day] = await rowsOf('&include=attributes')

  it('has a row for each text, by value, and one with null last', async () => {
    const rows = await rowsOf('&by=driver')
    assert.deepEqual(
      rows.map(({ value, start_odometer, end_engine_hours }) => [
        ...[value, start_odometer, end_engine_hours],
      ]),
      [
        ['A. Kaya', null, null],
        ['B. Diaz', null, null],
        [null, null, null],
      ],
    )
    for (const name of ADDED) {
      const sum = rows.reduce((total, row) => total + row[name] * 100, 0)
      assert.equal(Math.round(sum), Math.round(day![name] * 100), name)
    }
    const [kaya, diaz, nobody] = rows
    assert.deepEqual([kaya!.trips, nobody!.trips], [2, 0])
    assert.ok(diaz!.distance > 1.9 && nobody!.distance < 0.01, JSON.stringify(rows))
    assert.ok(diaz!.first_time < kaya!.first_time && diaz!.last_time > kaya!.last_time)
  })

  it('has the attributes of each', async () => {
    const rows = await rowsOf('&by=driver&attributes=fuel_used')
    const gains = rows.map(({ attributes }) => attributes.fuel_used.gain)
    const sum = gains.reduce((total: number, gain: number) => total + gain * 1_000, 0)
    assert.equal(Math.round(sum) / 1_000, day!.attributes.fuel_used.gain)
  })

  it('comes in pages, and as CSV', async () => {
    const { rows, pages } = await allPages(sender.get, `/days?${range}&by=driver&limit=1`)
    assert.equal(pages.length, 3)
    assert.deepEqual(rows, await rowsOf('&by=driver'))
    const { text } = await sender.get(`/days?${range}&by=driver&format=csv`)
    const [head, first] = text.split('\r\n')
    assert.ok(head!.endsWith(',positions,value') && first!.endsWith(',A. Kaya'), text)
  })

  it('is as without it otherwise', async () => {
    const plain = await rowsOf('')
    assert.ok(!('value' in plain[0]!))
  })
})

describe('GET /days by a text: 400', async () => {
  it('names the attribute that is no text', async () => {
    const sender = await senderWith(fleet, drive('lorry', DAY))
    await setCatalogue(fleet, sender)
    for (const name of ['fuel_used', 'nothing', 'Driver']) {
      const { status, json } = await sender.get(
        `/days?from_date=2026-05-04&to_date=2026-05-04&by=${name}`,
      )
      assert.deepEqual(
        [status, json.errorCode, json.message],
        [
          ...[400, 'PUBLIC.400_001'],
          `by must be the name of a text attribute, not "${name}". GET /attributes lists the attributes.`,
        ],
      )
    }
  })
})
