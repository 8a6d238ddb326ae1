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

const fleet = await startFleet({ full: 0, plain: 5 })
const KNOT = 1.852
const METRE_PER_SECOND = 3.6

/** The content of each recorded request, read from its bytes. */
const RECORDED = {
  'osmand-android-post': {
    ...{ ident: '82879256', time_device: '2023-08-28T11:31:46.000Z' },
    ...{ latitude: -35.5555277, longitude: 145.5555733, altitude: 103, angle: 26.21394 },
    speed: 20.5183 * KNOT,
  },
  'osmand-android-recorded': {
    ...{ ident: 'Bheki_Phone', time_device: '2015-11-09T11:21:57.000Z' },
    ...{ latitude: -29.60994, longitude: 30.3722833, altitude: 654.3, angle: 243.62, speed: 0 },
  },
  'osmand-json-ios': {
    ...{ ident: '658765', time_device: '2025-05-09T04:11:30.579Z' },
    ...{ latitude: 37.785834, longitude: -122.406417, altitude: 0 },
  },
  'osmand-json-moving': {
    ...{ ident: '8737767034', time_device: '2021-07-21T08:06:34.444Z' },
    ...{ latitude: -6.1148096, longitude: 106.6837015, altitude: 35.7, angle: 63 },
    speed: 18.67 * METRE_PER_SECOND,
  },
  'osmand-json-template': {
    ...{ ident: '48241179', time_device: '2025-06-15T13:45:12.862Z' },
    ...{ latitude: 37.4219983, longitude: -122.084, altitude: 5, speed: 0 },
  },
  'osmand-tracker-deviceid': {
    ...{ ident: '123456', time_device: 'arrival' },
    ...{ latitude: 60, longitude: 30, altitude: 0, angle: 0, speed: 0 },
  },
  'osmand-tracker-ignition': {
    ...{ ident: '123456789012345', time_device: '2017-09-07T05:56:50.000Z' },
    ...{ latitude: 40.7232949, longitude: -74.0061409, angle: 7.2, speed: 40 * KNOT },
  },
  'osmand-tracker-iso': {
    ...{ ident: '902064', time_device: '2016-01-27T18:55:47.000Z' },
    ...{ latitude: 42.06288, longitude: -88.23412, altitude: 224, speed: 0 },
  },
  'osmand-tracker-location': {
    ...{ ident: '123456', time_device: '2013-08-22T13:14:27.000Z', latitude: 60, longitude: 30 },
  },
  'osmand-tracker-text': {
    ...{ ident: '353861053849681', time_device: '2014-06-04T09:10:11.000Z' },
    ...{ latitude: 49.60688, longitude: 6.15788, altitude: 384.7, speed: 0 },
  },
  'osmand-webview-recorded': {
    ...{ ident: '535341', time_device: '2016-07-07T00:03:28.000Z' },
    ...{ latitude: 13.87821, longitude: 100.5746883, altitude: 14.1, angle: 227.5, speed: 0 },
  },
} satisfies Record<string, SentFix>
type Name = keyof typeof RECORDED

/** Sends the recorded bytes; the client's settings have only a URL. */
function replay({ feedToken }: Sender, name: string) {
  const { port } = new URL(fleet.server.feed)
  return firstAnswer(Number(port), recordedRequest(name, { path: `/feed/v1/${feedToken}/osmand` }))
}

async function replayAll(sender: Sender): Promise<void> {
  for (const name of Object.keys(RECORDED)) {
    const answer = await replay(sender, name)
    assert.deepEqual([answer.status, answer.body], [200, ''], `${name}: ${answer.text}`)
  }
}

/** The newest fix of each ident. */
const { 'osmand-tracker-location': early, ...latest } = RECORDED
const fixOf = (name: Name): SentFix => RECORDED[name]

describe('Recorded requests of OsmAnd clients', () => {
  it('are shown with their place and time', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    await replayAll(sender)
    const objects = await objectsOf(sender)
    await assertLatest(sender, objects, Object.values(latest))
    await assertHistory(sender, objects, [early, fixOf('osmand-tracker-deviceid')])
    for (const name of ['osmand-android-post', 'osmand-json-ios', 'osmand-tracker-text'] as const) {
      await assertHistory(sender, objects, [fixOf(name)])
    }
    const driving = fixOf('osmand-tracker-ignition')
    await assertDetail(sender, objects, driving, { move: driving.time_device })
    const stopped = fixOf('osmand-webview-recorded')
    await assertDetail(sender, objects, stopped, { stop: stopped.time_device })
  })

  it('are shown in miles in an organization that uses miles', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects', '--distance-unit', 'mi')
    await replayAll(sender)
    const objects = await objectsOf(sender)
    await assertLatest(sender, objects, Object.values(latest), 'mi')
    for (const name of ['osmand-json-moving', 'osmand-tracker-ignition'] as const) {
      await assertHistory(sender, objects, [fixOf(name)], 'mi')
    }
    const driving = fixOf('osmand-json-moving')
    await assertDetail(sender, objects, driving, { move: driving.time_device }, 'mi')
  })

  it('change nothing when sent again', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    // A request without a time is a new fix each time.
    const { 'osmand-tracker-deviceid': _, ...timed } = RECORDED
    const sendAll = async () => {
      for (const name of Object.keys(timed)) assert.equal((await replay(sender, name)).status, 200)
    }
    await sendAll()
    const read = readerOf(sender, await objectsOf(sender), '82879256')
    const before = await read()
    await sendAll()
    await sendAll()
    assert.deepEqual(await read(), before)
  })

  it('are refused if they have cells and no place', async () => {
    const sender = await senderOf(fleet, fleet.take(), '--create-objects')
    const answer = await replay(sender, 'osmand-tracker-cells')
    assertRefused(answer, 400, 'FEED.400_002', 'missing_field: lat is missing')
  })
})

describe('A wrong request of an OsmAnd client', async () => {
  const sender = await senderOf(fleet, fleet.take())
  const { van } = sender.objects
  const ident = IDENTS.van
  const fix = { id: ident, lat: '41.4', lon: '2.2', timestamp: '2024-06-01T08:00:00Z' }
  const get = (parameters: Record<string, string | undefined>) => {
    const given = Object.entries({ ...fix, ...parameters }).filter(([, value]) => value)
    const query = new URLSearchParams(given as [string, string][])
    return sender.send(`/osmand?${query}`)
  }
  const post = (body: string) => sender.send('/osmand', { method: 'POST', body })

  const refused: [string, Record<string, string | undefined>, RegExp][] = [
    ['no id', { id: undefined }, /^missing_field: id is missing/],
    ['no latitude', { lat: undefined }, /^missing_field: lat is missing/],
    ['no longitude', { lon: undefined }, /^missing_field: lon is missing/],
    ['half a location', { location: '41.4' }, /^missing_field: lon is missing/],
    ['a latitude in words', { lat: 'north' }, /^bad_number: lat /],
    ['a hexadecimal longitude', { lon: '0x10' }, /^bad_number: lon /],
    ['a speed in words', { speed: 'fast' }, /^bad_number: speed /],
    ['a day that does not exist', { timestamp: '2023-02-30T00:00:00Z' }, /^bad_time: timestamp /],
    ['a doubtful ignition', { ignition: 'maybe' }, /^bad_boolean: ignition /],
    ['an id of two lines', { id: 'a\nb' }, /^bad_ident: id /],
    ['an unknown id', { id: 'stranger' }, /^unknown_ident: .*'stranger'/],
  ]
  for (const [what, parameters, message] of refused) {
    it(`is answered with 400: ${what}`, async () => {
      assertRefused(await get(parameters), 400, 'FEED.400_002', message)
    })
  }

  it('is answered with 400 if empty', async () => {
    assertRefused(await sender.send('/osmand'), 400, 'FEED.400_001', /id, lat and lon/)
    assertRefused(await post(''), 400, 'FEED.400_001', /id, lat and lon/)
  })

  it('is answered with 400 if it is not JSON or lacks fields', async () => {
    const message = { device_id: ident, location: { timestamp: fix.timestamp, coords: {} } }
    assertRefused(await post(JSON.stringify(message).slice(0, -1)), 400, 'FEED.400_001', /JSON/)
    const wrong: [object, RegExp][] = [
      [message, /^missing_field: latitude /],
      [{ device_id: ident }, /^missing_field: location /],
      [{ device_id: ident, location: {} }, /^missing_field: location.timestamp /],
      [{ location: message.location }, /^missing_field: device_id /],
      [[1], /^bad_row: /],
    ]
    for (const [body, says] of wrong) {
      assertRefused(await post(JSON.stringify(body)), 400, 'FEED.400_002', says)
    }
  })

  it('is answered with 413 if it has too many locations', async () => {
    const body = { device_id: ident, location: Array(10_001).fill({}) }
    assertRefused(await post(JSON.stringify(body)), 413, 'FEED.413_002', /10000 rows/)
  })

  it('stores its good locations beside a bad one', async () => {
    const good = { timestamp: fix.timestamp, coords: { latitude: 41.4, longitude: 2.2 } }
    const body = JSON.stringify({ device_id: ident, location: [{}, good, { timestamp: 'now' }] })
    assert.equal((await post(body)).status, 200)
    const rows = await historyOf(sender, van)
    assert.equal(rows.at(-1).time_device, '2024-06-01T08:00:00.000Z')
  })

  it('is accepted, counted as rejected and not stored if no vehicle could be there', async () => {
    const before = await historyOf(sender, van)
    for (const lat of ['91', '-90.1']) assert.equal((await get({ lat })).status, 200)
    assert.equal((await get({ lat: '0', lon: '0' })).status, 200)
    assert.equal((await get({ valid: 'false', timestamp: '2024-06-02T08:00:00Z' })).status, 200)
    assert.deepEqual(await historyOf(sender, van), before)
    const rejects = await fleet.json('objects', 'rejects', '--org', `${sender.id}`, `${van}`)
    assert.deepEqual(
      rejects.map(({ reason }: Json) => reason),
      ['no_fix', 'no_fix', 'out_of_range', 'out_of_range'],
    )
  })
})
