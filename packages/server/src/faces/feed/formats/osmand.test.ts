import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  fixtureRequest,
  NOW,
  onlyRow,
  packetOf,
  withoutAttributes,
} from '../../../../testing/feed-format/fixture.ts'
import { assertLinear } from '../../../../testing/linear.ts'
import { FEED_CLIENTS, type FeedClient } from '../../../base/domain/credential.ts'
import { tooManyRows } from '../feed-refusal.ts'
import type { Packet } from '../packet.ts'
import { osmand } from './osmand.ts'

const KNOT = 1.852

const read = (query: string, body: string | Buffer = '', client: FeedClient | null = null) =>
  osmand.read({ query, headers: {}, body: Buffer.from(body), client }, NOW)
const recorded = (name: string) =>
  withoutAttributes(onlyRow(osmand.read(fixtureRequest(name), NOW)))

describe('A recorded request of an OsmAnd client', () => {
  const RECORDED: Record<string, Packet> = {
    'osmand-android-recorded': packetOf(
      'Bheki_Phone',
      ['2015-11-09T11:21:57Z', -29.609939999999998, 30.372283333333332],
      { speed: 0, angle: 243.6199951171875, altitude: 654.3 },
    ),
    'osmand-webview-recorded': packetOf(
      '535341',
      [1467849808_000, 13.878210000000001, 100.57468833333333],
      { speed: 0, angle: 227.5, altitude: 14.1 },
    ),
    'osmand-android-post': packetOf('82879256', [1693222306_000, -35.5555277, 145.5555733], {
      ...{ speed: 20.5183 * KNOT, angle: 26.21394, altitude: 103, accuracy: 22.975999 },
    }),
    // Trackers, with their aliases and forms of time.
    'osmand-tracker-ignition': packetOf(
      '123456789012345',
      [1504763810_000, 40.7232948571, -74.0061408571],
      { speed: 40 * KNOT, angle: 7.19889788244, ignition: true },
    ),
    'osmand-tracker-iso': packetOf('902064', ['2016-01-27T18:55:47Z', 42.06288, -88.23412], {
      ...{ hdop: 6, altitude: 224, speed: 0 },
    }),
    'osmand-tracker-text': {
      ...packetOf('353861053849681', ['2014-06-04T09:10:11Z', 49.60688, 6.15788], {
        ...{ altitude: 384.7, speed: 0 },
      }),
      isLocalTime: true,
    },
    'osmand-tracker-deviceid': packetOf('123456', [NOW, 60, 30], {
      ...{ speed: 0, angle: 0, altitude: 0 },
    }),
    'osmand-tracker-location': packetOf('123456', [1377177267_000, 60, 30]),
    // Traccar Client 9 sends JSON, with speeds in meters a second.
    'osmand-json-moving': packetOf(
      '8737767034',
      ['2021-07-21T08:06:34.444Z', -6.1148096, 106.6837015],
      { altitude: 35.7, angle: 63, speed: 18.67 * 3.6, odometer: 0, accuracy: 3.8 },
    ),
    'osmand-json-template': packetOf(
      '48241179',
      ['2025-06-15T13:45:12.862Z', 37.4219983, -122.084],
      { altitude: 5, speed: 0, odometer: 0, accuracy: 5 },
    ),
    'osmand-json-ios': packetOf('658765', ['2025-05-09T04:11:30.579Z', 37.785834, -122.406417], {
      ...{ altitude: 0, odometer: 0, accuracy: 5 },
    }),
  }
  for (const [name, packet] of Object.entries(RECORDED)) {
    it(`is a packet: ${name}`, () => assert.deepEqual(recorded(name), packet))
  }

  it('may contain cells and no place, which is a sign of life', () => {
    const packet = recorded('osmand-tracker-cells')
    assert.ok('fix' in packet)
    const { ident, fix } = packet
    assert.deepEqual([ident, fix.latitude, fix.longitude], ['123456', 0, 0])
  })
})

describe('OsmAnd parameters', () => {
  const PLAIN = 'id=7&lat=1&lon=2'

  it('may be in a form', () => {
    assert.deepEqual(onlyRow(read('', PLAIN)), onlyRow(read(PLAIN)))
  })

  it('come from the query if it has any', () => {
    assert.deepEqual(onlyRow(read(PLAIN, 'id=8&lat=3&lon=4')), onlyRow(read(PLAIN)))
  })

  it('count by their last value, and are ignored if empty', () => {
    assert.deepEqual(onlyRow(read(`id=9&speed=&${PLAIN}`)), onlyRow(read(PLAIN)))
  })

  it('do not treat meters of accuracy as HDOP, and 0 as unknown', () => {
    const plain = onlyRow(read(PLAIN))
    assert.ok('fix' in plain)
    const accurate = { ...plain, fix: { ...plain.fix, accuracy: 12 } }
    assert.deepEqual(onlyRow(read(`${PLAIN}&accuracy=12`)), accurate)
    assert.deepEqual(onlyRow(read(`${PLAIN}&acc=12`)), accurate)
    assert.deepEqual(onlyRow(read(`${PLAIN}&accuracy=0`)), plain)
  })

  it('have the units of the app that the token names', () => {
    const sent = `${PLAIN}&hdop=12.5&speed=13.888889`
    const unitsOf = (client: FeedClient) => {
      const packet = onlyRow(read(sent, '', client))
      assert.ok('fix' in packet)
      const { speed, hdop, accuracy } = packet.fix
      return [Number(speed!.toFixed(2)), hdop, accuracy]
    }
    assert.deepEqual(FEED_CLIENTS.map(unitsOf), [
      [25.72, 12.5, null],
      [50, null, 12.5],
      [50, 12.5, null],
      [25.72, 12.5, null],
    ])
  })

  it('have counters in meters and milliseconds, as in Traccar', () => {
    const parsed = onlyRow(read(`${PLAIN}&odometer=123456&hours=5400000&sat=9&hdop=0.8`))
    assert.ok('fix' in parsed)
    assert.ok(Math.abs(parsed.fix.odometer! - 123.456) < 1e-9)
    assert.equal(parsed.fix.engineHours, 1.5)
    assert.deepEqual([parsed.fix.gpsLevel, parsed.fix.hdop], [9, 0.8])
  })

  it('treat a negative speed or heading as unknown', () => {
    assert.deepEqual(onlyRow(read(`${PLAIN}&speed=-1&bearing=-1`)), onlyRow(read(PLAIN)))
  })

  it('accept a time in seconds, milliseconds or text, with an unescaped +', () => {
    const at = Date.UTC(2026, 10, 20, 8, 30)
    for (const time of [
      String(at / 1000),
      String(at),
      '2026-11-20T08:30:00Z',
      '2026-11-20T09:30:00%2B01:00',
      '2026-11-20T09:30:00+01:00',
      '2026-11-20+08:30:00',
    ]) {
      const parsed = onlyRow(read(`${PLAIN}&timestamp=${time}`))
      assert.ok('fix' in parsed && parsed.fix.timeDevice === at, time)
    }
  })

  it('only update the last contact if they say that there is no fix', () => {
    for (const no of ['false', '0', 'nonsense']) {
      const parsed = onlyRow(read(`${PLAIN}&timestamp=1377177267&valid=${no}`))
      assert.deepEqual(parsed, packetOf('7', [1377177267_000, 0, 0]))
    }
    for (const yes of ['true', '1', 'True']) {
      assert.deepEqual(onlyRow(read(`${PLAIN}&valid=${yes}`)), onlyRow(read(PLAIN)))
    }
  })

  it('stay unknown if they are optional and wrong', () => {
    const plain = onlyRow(read(PLAIN))
    const unread = ['speed', 'sat', 'ignition']
    assert.deepEqual(onlyRow(read(`${PLAIN}&speed=fast&sat=12/4&ignition=perhaps`)), {
      ...plain,
      unread,
    })
    const off = onlyRow(read(`${PLAIN}&ignition=OFF`))
    assert.ok('fix' in off && off.fix.ignition === false && off.unread === undefined)
  })

  it('are rejected with the name of the wrong parameter', () => {
    const wrong: [string, string, RegExp, string | null][] = [
      ['lat=1&lon=2', 'missing_field', /^id is missing$/, null],
      ['id=7&lat=1', 'missing_field', /^lon is missing$/, '7'],
      ['id=7&lat=1,5&lon=2', 'bad_number', /^lat/, '7'],
      ['id=7&lat=0x10&lon=2', 'bad_number', /^lat/, '7'],
      ['id=7&location=5', 'missing_field', /^lon/, '7'],
      [`${PLAIN}&timestamp=now`, 'bad_time', /^timestamp/, '7'],
      [`lat=1&lon=2&id=${'7'.repeat(65)}`, 'bad_ident', /^id must/, `${'7'.repeat(39)}…`],
    ]
    for (const [query, reason, message, ident] of wrong) {
      const parsed = onlyRow(read(query))
      assert.ok('reason' in parsed, query)
      assert.equal(parsed.reason, reason)
      assert.match(parsed.message, message)
      assert.equal(parsed.ident, ident)
    }
    const nothing = read('')
    assert.ok('status' in nothing && nothing.status === 400)
  })

  it('never make the parser throw', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (query, body) => void read(query, body)))
    fc.assert(fc.property(fc.webQueryParameters(), (query) => void read(query)))
    const any = fc.record({ id: fc.string(), lat: fc.string(), timestamp: fc.string() })
    fc.assert(
      fc.property(
        any,
        (values) => void read(new URLSearchParams({ lon: '1', ...values }).toString()),
      ),
    )
  })
})

describe('OsmAnd JSON', () => {
  const location = (seconds: number) => ({
    timestamp: seconds,
    coords: { latitude: 1, longitude: 2 },
  })

  it('may be a list of locations, or of messages', async () => {
    const expected = [5, 6].map((second) => packetOf('7', [second * 1000, 1, 2]))
    const list = { device_id: '7', location: [location(5), location(6)] }
    assert.deepEqual(read('', JSON.stringify(list)), expected)
    const messages = [5, 6].map((second) => ({ device_id: 7, location: location(second) }))
    assert.deepEqual(read('', JSON.stringify(messages)), expected)
    const long = { device_id: '7', location: new Array(10_001).fill(location(5)) }
    assert.equal(await read('', JSON.stringify(long)), tooManyRows)
  })

  it('is rejected with the name of the wrong field', () => {
    const wrong: [object, string][] = [
      [{ location: location(5) }, 'device_id is missing'],
      [{ device_id: '7' }, 'location is missing'],
      [{ device_id: '7', location: { timestamp: 5, coords: 7 } }, 'location.coords is missing'],
      [
        { device_id: '7', location: { ...location(5), timestamp: null } },
        'location.timestamp is missing',
      ],
      [
        { device_id: '7', location: { timestamp: 5, coords: { latitude: 1 } } },
        'longitude is missing',
      ],
    ]
    for (const [message, parsed] of wrong) {
      assert.equal(
        (onlyRow(read('', JSON.stringify(message))) as { message: string }).message,
        parsed,
      )
    }
    const broken = read('', '{"device_id":')
    assert.ok('status' in broken && broken.status === 400)
  })

  it('is a sign of life without a place', () => {
    const packet = onlyRow(read('', JSON.stringify({ device_id: '7', location: { timestamp: 5 } })))
    assert.deepEqual(packet, packetOf('7', [5_000, 0, 0]))
  })

  it('never makes the parser throw', () => {
    const any = fc.jsonValue()
    const coords = fc.record({ latitude: any, longitude: any, speed: any }, { requiredKeys: [] })
    const place = fc.oneof(any, fc.record({ timestamp: any, coords: fc.oneof(any, coords) }))
    const message = fc.record(
      { device_id: any, location: fc.oneof(place, fc.array(place)) },
      { requiredKeys: [] },
    )
    const body = fc.oneof(message, fc.array(fc.oneof(any, message)))
    fc.assert(fc.property(body, (value) => void read('', JSON.stringify(value))))
  })
})

describe('A batch of background_geolocation', () => {
  const at = (index: number) => ({
    timestamp: TIME + index,
    coords: { latitude: 52.5, longitude: 13.4, speed: 2, heading: 'north' },
    odometer: 13.2,
    extras: { route: 'a'.repeat(60) },
  })
  const TIME = 1_795_168_740

  it('has the positions of a composed request', () => {
    const rows = osmand.read(fixtureRequest('osmand-json-batch'), NOW)
    assert.ok(Array.isArray(rows))
    const fields = { altitude: 30, angle: 90, speed: 7.2, accuracy: 5, odometer: 13.2 / 1000 }
    assert.deepEqual(rows.map(withoutAttributes), [
      packetOf('phone2', ['2024-06-01T08:00:00Z', 52.5, 13.4], fields),
      packetOf('phone2', ['2024-06-01T08:01:00Z', 52.501, 13.4], fields),
    ])
  })

  it('has its positions in each form, and the device_id in each place', () => {
    const [first, second] = [at(0), at(1)]
    const id = { device_id: 'phone2' }
    const expected = read('', JSON.stringify({ ...id, location: [first, second] }))
    assert.ok(Array.isArray(expected))
    assert.deepEqual(expected[0], {
      ...packetOf('phone2', [TIME * 1000, 52.5, 13.4], { speed: 7.2, odometer: 13.2 / 1000 }),
      fix: (expected[0] as Packet).fix,
      unread: ['heading'],
    })
    for (const body of [
      { ...id, locations: [first, second] },
      { ...id, locations: [{ location: first }, { location: second }] },
      {
        location: [
          { ...first, ...id },
          { ...second, ...id },
        ],
      },
      [first, second].map((location) => ({ ...location, ...id })),
      [first, second].map((location) => ({ location, ...id })),
    ]) {
      assert.deepEqual(read('', JSON.stringify(body)), expected)
    }
    const inExtras = { ...first, extras: { ...first.extras, ...id } }
    assert.equal(onlyRow(read('', JSON.stringify({ location: inExtras }))).ident, 'phone2')
  })

  it('is read in turns if it is long, with the same rows', async () => {
    const location = Array.from({ length: 1_000 }, (_, index) => at(index))
    const reading = read('', JSON.stringify({ device_id: 'phone2', location }))
    assert.ok(reading instanceof Promise)
    const rows = await reading
    assert.ok(Array.isArray(rows) && rows.length === 1_000)
    const last = { device_id: 'phone2', location: location[999] }
    assert.deepEqual(rows[999], onlyRow(read('', JSON.stringify(last))))
  })

  it('has a larger limit than parameters', () => {
    const refusal = read('', `id=7&lat=1&lon=2&note=${'a'.repeat(256 * 1024)}`)
    assert.ok('status' in refusal && refusal.status === 413)
  })
})

describe('OsmAnd parameters of megabytes', () => {
  const LONG = 4 * 1024 * 1024
  const hostile: [name: string, body: (length: number) => string, reason: string][] = [
    ['digits', (length) => `id=a&timestamp=1&lon=2&lat=${'1'.repeat(length)}x`, 'bad_number'],
    ['a time', (length) => `id=a&lat=1&lon=2&timestamp=${'T'.repeat(length)}`, 'bad_time'],
    ['spaces', (length) => `id=a&lat=1&lon=2&timestamp=aT${'+'.repeat(length)}x`, 'bad_time'],
    ['an ident', (length) => `id=${'a'.repeat(length)}&lat=1&lon=2`, 'bad_ident'],
  ]
  for (const [name, body, reason] of hostile) {
    it(`are rejected as fast as they are read: ${name}`, () => {
      assertLinear(20_000, body, (text) => read(text))
      const row = onlyRow(read(body(LONG)))
      assert.equal('reason' in row && row.reason, reason)
    })
  }
})
