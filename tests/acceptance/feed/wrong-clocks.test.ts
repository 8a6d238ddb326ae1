import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderOf } from '../harness/sender.ts'
import { historyOf, objectsOf } from '../harness/sent-fix.ts'

/*
 * Fixes whose clocks are wrong: a device that sends local times as if they were UTC, and a receiver that repeats the
 * weeks of GPS.
 */

const fleet = await startFleet({ full: 0, plain: 3 })
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const ROLLOVER = 1_024 * 7 * DAY

async function newSender(...settings: string[]) {
  const sender = await senderOf(fleet, fleet.take(), '--create-objects', '--maximum-age', '365')
  const org = ['--org', String(sender.id)]
  const tracker = `tracker ${sender.id}`
  const update = (...some: string[]) => fleet.json('org', 'update', String(sender.id), ...some)
  if (settings.length > 0) await update(...settings)
  const latest = async () => (await objectsOf(sender)).get(tracker) as Json
  return {
    ...sender,
    update,
    latest,
    post: (...rows: object[]) =>
      sender.post(rows.map((row) => ({ ident: tracker, longitude: 19.0466, ...row }))),
    rejects: async (): Promise<Json[]> =>
      fleet.json('objects', 'rejects', ...org, String((await latest()).id)),
    wrongClocks: (): Promise<Json[]> => fleet.json('objects', 'wrong-clocks', ...org),
  }
}

describe('A fix from the future', async () => {
  const device = await newSender()
  const now = Date.now()
  const ahead = (ms: number) => ({ time_device: now + ms, latitude: -19.9453, speed: 0 })

  it('is refused beyond ten minutes, so that it hides no later one', async () => {
    const true_ = { time_device: now - MINUTE, latitude: -19.9, speed: 35 }
    const result = await device.post(ahead(20 * 60 * MINUTE), ahead(11 * MINUTE), true_)
    assert.deepEqual([result.stored, result.rejected], [1, 2])
    for (const { reason, message } of result.rejects) {
      assert.equal(reason, 'in_future')
      assert.match(message, /device_timezone/)
    }
    const { time_device } = await device.latest()
    assert.equal(Date.parse(time_device), now - MINUTE)
    assert.equal((await device.post(ahead(9 * MINUTE))).stored, 1)
  })

  it('is accepted within the tolerance of the organization', async () => {
    await device.update('--future-tolerance', '60')
    assert.equal((await device.post(ahead(50 * MINUTE))).stored, 1)
    assert.equal((await device.post(ahead(70 * MINUTE))).rejected, 1)
    await device.update('--future-tolerance', '10')
  })

  it('shows its object among those with a wrong time, in status and metrics', async () => {
    await device.post(ahead(80 * MINUTE))
    const [clock, ...others] = await device.wrongClocks()
    assert.deepEqual(others, [])
    const { id, packets, reason, message, time_device } = clock!
    assert.deepEqual([id, packets, reason], [(await device.latest()).id, 4, 'in_future'])
    assert.match(message, /device_timezone/)
    assert.equal(Date.parse(time_device), now + 80 * MINUTE)
    const ofAll: Json[] = await fleet.json('objects', 'wrong-clocks')
    assert.deepEqual(
      ofAll.filter(({ organization }) => organization === device.id),
      [{ organization: device.id, ...clock }],
    )
    const status = await fleet.json('status')
    assert.equal(status.contents.wrong_clocks.objects, 1)
    const { text } = await request(fleet.server.admin, '/metrics')
    assert.match(text, /fleetgate_feed_rejected_total\{[^}]*reason="in_future"\} 4/)
  })

  it('does so until a position is accepted', async () => {
    await device.update('--future-tolerance', '60')
    assert.equal((await device.post(ahead(55 * MINUTE))).stored, 1)
    assert.deepEqual(await device.wrongClocks(), [])
  })
})

describe('A fix from 1,024 weeks ago', () => {
  const now = Date.now() - DAY
  const row = (minute: number, latitude: number, speed: number, before = 0) => ({
    ...{ time_device: now + minute * MINUTE - before, latitude, speed },
  })
  const drive = (before: number) => [
    ...[row(0, 50.88, 35), row(1, 50.885, 35, before), row(2, 50.89, 35)],
    ...[row(10, 50.89, 0), row(20, 50.89, 0)],
  ]

  it('is refused, and is a sign of life', async () => {
    const device = await newSender()
    const { stored, rejects } = await device.post(...drive(ROLLOVER))
    assert.deepEqual([stored, rejects[0].reason, rejects[0].index], [4, 'implausible_past', 1])
    assert.match(rejects[0].message, /maximum_age/)
    assert.equal((await device.latest()).odometer, 1.11)
    const [reject] = await device.rejects()
    assert.equal(reject!.reason, 'implausible_past')
    assert.equal(Date.parse(reject!.time_device), now + MINUTE - ROLLOVER)
  })

  it('is corrected where the organization says so', async () => {
    const device = await newSender('--correct-rollover')
    const sent = [await device.post(...drive(ROLLOVER)), await device.post(...drive(2 * ROLLOVER))]
    assert.deepEqual(
      sent.map(({ stored, duplicate }) => [stored, duplicate]),
      [
        [5, 0],
        [0, 5],
      ],
    )
    const path = `/objects/${(await device.latest()).id}/positions?include=quality&limit=9`
    const range = `from_time=${new Date(now - DAY).toISOString()}&to_time=${new Date().toISOString()}`
    const rows: Json[] = resultOf(await device.get(`${path}&${range}`))
    assert.deepEqual(
      rows.map(({ corrected }) => corrected),
      [false, true, false, false, false],
    )
    const times = (await historyOf(device, (await device.latest()).id)).map(
      (each) => each.time_device,
    )
    const expected = [0, 1, 2, 10, 20].map((minute) =>
      new Date(now + minute * MINUTE).toISOString(),
    )
    assert.deepEqual(times, expected)
    assert.equal((await device.latest()).odometer, 1.11)
    assert.deepEqual(await device.rejects(), [])
    // The same fix with its true time is better.
    const { duplicate, conflict } = await device.post(...drive(0))
    assert.deepEqual([duplicate, conflict], [4, 1])
    assert.deepEqual(
      (await device.rejects()).map(({ reason }) => reason),
      ['conflict'],
    )
  })
})
