import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { firstAnswer } from '../harness/raw-socket.ts'
import { recordedRequest, type Setting } from '../harness/recorded-request.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import { assertLatest, historyOf, objectsOf, readerOf, type SentFix } from '../harness/sent-fix.ts'

/*
 * The formats of known clients, as far as a server is needed to show them. The tests next to the parsers have every
 * field, every recorded request and every fault.
 */

const TIME = '2024-06-01T08:00:00Z'

type Client = {
  format: string
  unit: 'km' | 'mi'
  /** The setting of the client that names the server and the token. */
  setting(feedToken: string): Setting
  answer: string
  /** The content of some recorded requests, read from their bytes. */
  recorded: Record<string, SentFix | null>
}

const CLIENTS: Client[] = [
  {
    ...{ format: 'osmand', unit: 'mi', answer: '' },
    setting: (token) => ({ path: `/feed/v1/${token}/osmand` }),
    recorded: {
      'osmand-android-post': {
        ...{ ident: '82879256', time_device: '2023-08-28T11:31:46.000Z' },
        ...{ latitude: -35.5555277, longitude: 145.5555733, altitude: 103, angle: 26.21394 },
        speed: 20.5183 * 1.852,
      },
      'osmand-android-recorded': {
        ...{ ident: 'Bheki_Phone', time_device: '2015-11-09T11:21:57.000Z', speed: 0 },
        ...{ latitude: -29.60994, longitude: 30.3722833, altitude: 654.3, angle: 243.62 },
      },
      'osmand-json-moving': {
        ...{ ident: '8737767034', time_device: '2021-07-21T08:06:34.444Z', speed: 18.67 * 3.6 },
        ...{ latitude: -6.1148096, longitude: 106.6837015, altitude: 35.7, angle: 63 },
      },
      // Its time has no zone: that of a new object is UTC.
      'osmand-tracker-text': {
        ...{ ident: '353861053849681', time_device: '2014-06-04T09:10:11.000Z' },
        ...{ latitude: 49.60688, longitude: 6.15788, altitude: 384.7, speed: 0 },
      },
    },
  },
  {
    ...{ format: 'overland', unit: 'km', answer: '{"result":"ok"}' },
    setting: (token) => ({ path: '/feed/v1/overland', header: `Authorization: Bearer ${token}` }),
    recorded: {
      'overland-batch': {
        ...{ ident: 'phone', time_device: '2024-06-01T08:01:00.000Z', angle: 271.5 },
        // The engine ran between the two positions of the batch.
        ...{ latitude: 52.5, longitude: 13.4, altitude: 30, engine_hours: 1 / 60 },
      },
    },
  },
  {
    ...{ format: 'owntracks', unit: 'km', answer: '[]' },
    setting: (token) => {
      const basic = Buffer.from(`jane:${token}`).toString('base64')
      return { path: '/feed/v1/owntracks', header: `Authorization: Basic ${basic}` }
    },
    recorded: {
      'owntracks-moving': {
        ...{ ident: 'JJ', time_device: '2017-06-13T10:21:56.000Z' },
        ...{ latitude: 48.85833, longitude: 2.29513, altitude: 167, angle: 271, speed: 61 },
      },
      'owntracks-ios': {
        ident: 'owntracks/ckrey/22A67880-15C3-41A6-9157-25545C7993AC',
        ...{ time_device: '2025-01-06T10:59:29.000Z', latitude: 37, longitude: -122, altitude: 0 },
      },
      'owntracks-lwt': null,
    },
  },
  {
    ...{ format: 'traccar', unit: 'km', answer: '' },
    setting: (token) => ({ path: '/feed/v1/traccar', header: `x-feed-token: ${token}` }),
    recorded: {
      'traccar-teltonika': {
        ...{ ident: '888888888888888', time_device: '2019-12-20T06:28:42.000Z' },
        ...{ latitude: 53.8862733, longitude: 27.449195, altitude: 241, angle: 316, speed: 0 },
      },
    },
  },
]

const clientOf = (format: string) => CLIENTS.find((each) => each.format === format)!

/** One for each client, and for each of the other scenes. */
const fleet = await startFleet({ full: 0, plain: CLIENTS.length + 3 })

/** Sends the recorded bytes as they are but for the setting of the client. */
function replay({ setting }: Pick<Client, 'setting'>, { feedToken }: Sender, name: string) {
  const { port } = new URL(fleet.server.feed)
  return firstAnswer(Number(port), recordedRequest(name, setting(feedToken)))
}

describe('Recorded requests', () => {
  for (const client of CLIENTS) {
    const { format, unit, answer, recorded } = client
    it(`are shown with their place and time, once: ${format}, in ${unit}`, async () => {
      const settings = ['--create-objects', '--distance-unit', unit]
      const sender = await senderOf(fleet, fleet.take(), ...settings)
      const replayAll = async () => {
        for (const name of Object.keys(recorded)) {
          const { status, body, text } = await replay(client, sender, name)
          assert.deepEqual([status, body], [200, answer], `${name}: ${text}`)
        }
      }
      await replayAll()
      const fixes = Object.values(recorded).filter((fix) => fix !== null)
      const objects = await objectsOf(sender)
      const created = objects.size - Object.keys(sender.objects).length
      assert.equal(created, fixes.length, 'a message without a place creates nothing')
      await assertLatest(sender, objects, fixes, unit)
      const read = readerOf(sender, objects, fixes[0]!.ident)
      const shown = await read()
      await replayAll()
      assert.deepEqual(await read(), shown)
    })
  }
})

describe("A request of OsmAnd's app", () => {
  it('has meters per second, and meters of accuracy as hdop, by a token that names the app', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    const issue = ['feed-token', 'issue', '--org', String(sender.id), '--client', 'osmand-app']
    const { token, client } = await fleet.json(...issue)
    assert.equal(client, 'osmand-app')
    for (const [index, hdop] of ['4.0', '9.9', '12.5', '18.2', '25.0'].entries()) {
      const timestamp = String(1_794_988_800_000 + index * 30_000)
      const sent = { id: 'OSMANDAPP', lat: `52.10${index}`, lon: '4.9', timestamp, hdop }
      const query = new URLSearchParams({ ...sent, speed: '13.888889', bearing: '0.0' })
      const headers = { 'x-feed-token': token }
      assert.equal((await sender.send(`/osmand?${query}`, { headers })).status, 200)
    }
    const object = (await objectsOf(sender)).get('OSMANDAPP')
    const speeds = (await historyOf(sender, object.id)).map(({ speed }) => speed)
    assert.deepEqual(speeds, [50, 50, 50, 50, 50])
  })
})

describe('A parked phone', () => {
  it('does not drive to the cell towers that it shows once an hour', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    const topic = 'owntracks/parked/phone'
    const phone = { _type: 'location', topic, lat: 52, lon: 4.5, acc: 12 }
    const fixes = Array.from({ length: 24 }, (_, at) =>
      at % 12 === 6 ? { ...phone, lon: 4.59, acc: 2_500 } : { ...phone, lat: 52 + (at % 3) / 1e5 },
    )
    for (const [at, fix] of fixes.entries()) {
      const body = JSON.stringify({ ...fix, tst: 1_795_132_800 + at * 300 })
      const { status, text } = await sender.send('/owntracks', { method: 'POST', body })
      assert.deepEqual([status, text], [200, '[]'])
    }
    const { id, odometer, time_last_move } = (await objectsOf(sender)).get(topic)
    assert.deepEqual([odometer, time_last_move], [0, null])
    const rows = await historyOf(sender, id)
    assert.deepEqual([rows.length, Math.max(...rows.map(({ longitude }) => longitude))], [22, 4.5])
    const org = ['--org', String(sender.id)]
    const rejects = await fleet.json('objects', 'rejects', ...org, String(id))
    assert.deepEqual(
      rejects.map(({ reason }: Json) => reason),
      ['accuracy_above_maximum', 'accuracy_above_maximum'],
    )
    const [latest] = resultOf(await sender.get(`/positions/latest?ids=${id}&include=quality`))
    assert.equal(latest.accuracy, 12)
  })
})

describe('A request of a known client', async () => {
  const sender = await senderOf(fleet, fleet.take())
  const { van } = sender.objects
  const ident = IDENTS.van
  const post = (format: string, body: object | string) =>
    sender.send(`/${format}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const osmand = (fields: Record<string, string> = {}) => {
    const parameters = { id: ident, timestamp: TIME, lat: '41.4', lon: '2.2', ...fields }
    return sender.send(`/osmand?${new URLSearchParams(parameters)}`)
  }
  const place = { latitude: 41.4, longitude: 2.2 }
  const located = (...location: object[]) => ({ device_id: ident, location })
  const message = { _type: 'location', topic: ident, tst: 1_717_228_800, lat: 41.4, lon: 2.2 }
  const forwarded = (changes: object, uniqueId: string = ident) => ({
    ...{ position: { fixTime: TIME, ...place, ...changes }, device: { uniqueId } },
  })
  const reasons = async (object: number) => {
    const org = ['--org', String(sender.id)]
    const rejects = await fleet.json('objects', 'rejects', ...org, String(object))
    return rejects.map(({ reason }: Json) => reason)
  }

  const refused: [format: string, body: object | string, code: string, message: RegExp][] = [
    ['osmand', '', '400_001', /id, lat and lon/],
    ['osmand', '{"device_id":', '400_001', /JSON/],
    ['osmand', { device_id: ident }, '400_002', /^missing_field: location /],
    ['osmand', located({}, {}), '400_002', /^missing_field: location.timestamp /],
    ['osmand', 'id=stranger&lat=1&lon=2', '400_002', /^unknown_ident: .*'stranger'/],
    ['owntracks', { ...message, lat: null }, '400_002', /^missing_field: lat /],
    ['owntracks', { ...message, topic: 'a/b' }, '400_002', /^unknown_ident: .*'a\/b'/],
    ['owntracks', { ...message, _type: 'encrypted' }, '400_001', /encryption key/],
    ['owntracks', '{"_type":', '400_001', /./],
    ['traccar', forwarded({ latitude: 'north' }), '400_002', /^bad_number: latitude /],
    ['traccar', forwarded({}, 'stranger'), '400_002', /^unknown_ident: .*'stranger'/],
    ['traccar', '{}', '400_001', /./],
  ]
  for (const [format, body, code, says] of refused) {
    const shown = typeof body === 'string' ? body : JSON.stringify(body)
    it(`is answered with 400 if nothing in it can ever be accepted: ${format} ${shown}`, async () => {
      assertRefused(await post(format, body), 400, `FEED.${code}`, says)
    })
  }

  it('is stored without the values that cannot be read, and those are counted and shown', async () => {
    const { truck } = sender.objects
    const sent = { id: IDENTS.truck, timestamp: '2024-05-30T08:00:00Z' }
    const wrongs: Record<string, string>[] = [
      ...[{ ignition: 'OFF' }, { sat: '12/4' }, { speed: 'fast', sat: 'x' }],
    ]
    for (const wrong of wrongs) {
      const { status, text } = await osmand({ ...sent, ...wrong })
      assert.equal(status, 200, text)
    }
    const org = ['--org', String(sender.id)]
    const [third, second, ...others] = await fleet.json('objects', 'rejects', ...org, String(truck))
    // The first one has the most values that are known, and is kept.
    assert.deepEqual(
      [third, second].map(({ reason, stored }) => [reason, stored]),
      [
        ['conflict', true],
        ['conflict', true],
      ],
    )
    assert.deepEqual(others, [])
    assert.equal(
      (await osmand({ ...sent, timestamp: '2024-05-30T08:01:00Z', sat: '12/4' })).status,
      200,
    )
    const [unread] = await fleet.json('objects', 'rejects', ...org, String(truck))
    assert.deepEqual([unread.reason, unread.stored], ['unreadable_value', true])
    assert.match(unread.message, /: sat$/)
    const { text } = await request(fleet.server.admin, '/metrics')
    assert.match(text, /fleetgate_feed_unreadable_values_total\{format="osmand",field="sat"\} 3/)
    const coverage = await sender.get('/coverage?from_date=2024-05-30&to_date=2024-05-30')
    const day = resultOf(coverage).find((each: Json) => each.object_id === truck)
    assert.equal(day.positions, 2)
    assert.deepEqual(Object.values(day.rejected ?? {}), [])
  })

  it('is a sign of life if it has cells and no place', async () => {
    await fleet.json('org', 'update', String(sender.id), '--create-objects')
    assert.equal((await replay(clientOf('osmand'), sender, 'osmand-tracker-cells')).status, 200)
    await fleet.json('org', 'update', String(sender.id), '--no-create-objects')
    const object = (await objectsOf(sender)).get('123456')
    assert.equal(object.time_device, null)
    assert.deepEqual(await reasons(object.id), ['no_fix'])
  })

  it('stores its good locations beside a bad one', async () => {
    const good = { timestamp: TIME, coords: place }
    assert.equal((await post('osmand', located({}, good, { timestamp: 'now' }))).status, 200)
    assert.equal((await historyOf(sender, van)).at(-1).time_device, '2024-06-01T08:00:00.000Z')
  })

  it('is accepted, counted as rejected and not stored if no vehicle could be there', async () => {
    const before = await historyOf(sender, van)
    for (const lat of ['91', '-90.1']) assert.equal((await osmand({ lat })).status, 200)
    assert.equal((await osmand({ lat: '0', lon: '0' })).status, 200)
    assert.equal((await osmand({ valid: 'false' })).status, 200)
    assert.deepEqual(await historyOf(sender, van), before)
    assert.deepEqual(await reasons(van), ['no_fix', 'no_fix', 'out_of_range', 'out_of_range'])
  })

  it('is a sign of life without a fix, whatever its time is', async () => {
    const settings = ['--create-objects', '--retention-days', '30']
    await fleet.json('org', 'update', String(sender.id), ...settings)
    assert.equal(
      (await replay(clientOf('traccar'), sender, 'traccar-meitrack-invalid')).status,
      200,
    )
    const never = { fixTime: '1970-01-01T00:00:00.000+00:00', valid: false }
    assert.equal((await post('traccar', forwarded(never, 'never had a fix'))).status, 200)
    const objects = await objectsOf(sender)
    for (const each of ['861585043200862', 'never had a fix']) {
      const object = objects.get(each)
      assert.ok(Math.abs(Date.now() - Date.parse(object.time_server)) < 60_000)
      assert.equal(object.time_device, null)
      assert.deepEqual(await historyOf(sender, object.id), [])
      assert.deepEqual(await reasons(object.id), ['no_fix'])
    }
  })
})
