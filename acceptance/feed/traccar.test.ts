import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { firstAnswer } from '../harness/raw-socket.ts'
import { recordedRequest } from '../harness/recorded-request.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import {
  assertDetail,
  assertHistory,
  assertLatest,
  historyOf,
  objectsOf,
  readerOf,
  type SentFix,
} from '../harness/sent-fix.ts'

const fleet = await startFleet({ full: 0, plain: 4 })

/** The content of the recorded position, read from its bytes; its metres and milliseconds become km and hours. */
const TELTONIKA: SentFix = {
  ...{ ident: '888888888888888', time_device: '2019-12-20T06:28:42.000Z' },
  ...{ latitude: 53.8862733, longitude: 27.449195, altitude: 241, angle: 316, speed: 0 },
}
const SENSORS: SentFix = { ...TELTONIKA, odometer: 6902.74, engine_hours: 737_000 / 3_600_000 }

/** Sends the recorded bytes with the header that `forward.header` adds. */
function replay({ feedToken }: Sender, name: string) {
  const { port } = new URL(fleet.server.feed)
  const setting = { path: '/feed/v1/traccar', header: `x-feed-token: ${feedToken}` }
  return firstAnswer(Number(port), recordedRequest(name, setting))
}

describe('A recorded forwarded position', () => {
  for (const unit of ['km', 'mi'] as const) {
    it(`is shown as sent, with the device’s counters if the object uses them, in ${unit}`, async () => {
      const sender = await senderOf(fleet, fleet.take(), '--distance-unit', unit)
      const org = ['--org', String(sender.id)]
      const tracker = [String(sender.objects.silent), '--ident', TELTONIKA.ident]
      const sensors = ['--odometer-type', 'sensor', '--engine-hours-type', 'sensor']
      await fleet.json('objects', 'update', ...org, ...tracker, ...sensors)
      const answer = await replay(sender, 'traccar-teltonika')
      assert.deepEqual([answer.status, answer.body], [200, ''])
      const objects = await objectsOf(sender)
      await assertLatest(sender, objects, [SENSORS], unit)
      await assertHistory(sender, objects, [SENSORS], unit)
      // The vehicle is stopped with its ignition on.
      await assertDetail(sender, objects, SENSORS, { idle: SENSORS.time_device }, unit)
    })
  }

  it('is accepted with a token in the path, and changes nothing when sent again', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    const { port } = new URL(fleet.server.feed)
    const path = `/feed/v1/${sender.feedToken}/traccar`
    const bytes = recordedRequest('traccar-teltonika', { path })
    assert.equal((await firstAnswer(Number(port), bytes)).status, 200)
    const objects = await objectsOf(sender)
    // The object does not use the device's counters: the service's own begin at 0.
    await assertHistory(sender, objects, [TELTONIKA])
    const read = readerOf(sender, objects, TELTONIKA.ident)
    const before = await read()
    assert.equal((await replay(sender, 'traccar-teltonika')).status, 200)
    assert.deepEqual(await read(), before)
  })
})

describe('An invalid forwarded position', async () => {
  const sender = await senderOf(fleet, fleet.take(), '--create-objects')
  const { van } = sender.objects
  const post = (body: string) => sender.send('/traccar', { method: 'POST', body })
  const position = { fixTime: '2024-06-01T08:00:00Z', latitude: 41.4, longitude: 2.2 }
  const forward = (changes: object, device: object = { uniqueId: IDENTS.van }) =>
    post(JSON.stringify({ position: { ...position, ...changes }, device }))

  it('updates only the time of contact if it has no fix', async () => {
    const answer = await replay(sender, 'traccar-meitrack-invalid')
    assert.equal(answer.status, 200)
    const object = (await objectsOf(sender)).get('861585043200862')
    assert.ok(Math.abs(Date.now() - Date.parse(object.time_server)) < 60_000)
    assert.equal(object.time_device, null)
    assert.deepEqual(await historyOf(sender, object.id), [])
    const org = ['--org', String(sender.id)]
    const rejects = await fleet.json('objects', 'rejects', ...org, String(object.id))
    assert.deepEqual(
      rejects.map(({ reason }: Json) => reason),
      ['no_fix'],
    )
  })

  it('is a sign of life without a fix, whatever its time is', async () => {
    await fleet.json('org', 'update', String(sender.id), '--retention-days', '30')
    const never = { fixTime: '1970-01-01T00:00:00.000+00:00', valid: false }
    const uniqueId = 'never had a fix'
    assert.equal((await forward(never, { uniqueId })).status, 200)
    const object = (await objectsOf(sender)).get(uniqueId)
    assert.ok(Math.abs(Date.now() - Date.parse(object.time_server)) < 60_000)
  })

  const refused: [string, object, RegExp][] = [
    ['no time', { fixTime: null }, /^missing_field: fixTime /],
    ['an invalid time', { fixTime: 'yesterday' }, /^bad_time: fixTime /],
    ['no latitude', { latitude: null }, /^missing_field: latitude /],
    ['a longitude in text', { longitude: '2.2' }, /^bad_number: longitude /],
    ['a course in words', { course: 'north' }, /^bad_number: course /],
    ['a bad number of satellites', { attributes: { sat: 'many' } }, /^bad_number: sat /],
    ['a doubtful ignition', { attributes: { ignition: 1 } }, /^bad_boolean: attributes.ignition /],
    ['an address of two lines', { address: 'a\u0000b' }, /^bad_text: address /],
  ]
  for (const [what, changes, message] of refused) {
    it(`is answered with 400: ${what}`, async () => {
      assertRefused(await forward(changes), 400, 'FEED.400_002', message)
    })
  }

  it('is answered with 400 without a device, or with an unknown one', async () => {
    assertRefused(await forward({}, {}), 400, 'FEED.400_002', /^missing_field: device.uniqueId /)
    await fleet.json('org', 'update', String(sender.id), '--no-create-objects')
    const stranger = await forward({}, { uniqueId: 'stranger' })
    assertRefused(stranger, 400, 'FEED.400_002', /^unknown_ident: .*'stranger'/)
  })

  it('is answered with 400 if it is another JSON document', async () => {
    const whole = JSON.stringify({ position, device: { uniqueId: IDENTS.van } })
    for (const body of ['', whole.slice(0, -1), '[]', '{}', `{"position":${whole}}`, 'null']) {
      assertRefused(await post(body), 400, 'FEED.400_001')
    }
  })

  it('leaves stored positions unchanged', async () => {
    const times = (await historyOf(sender, van)).map(({ time_device }) => time_device)
    assert.ok(!times.includes('2024-06-01T08:00:00.000Z'))
  })
})
