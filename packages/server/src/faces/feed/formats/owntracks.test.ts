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
import type { FeedClient } from '../../../base/domain/credential.ts'
import type { Packet } from '../packet.ts'
import { owntracks } from './owntracks.ts'

const read = (body: string, headers = {}, query = '', client: FeedClient | null = null) =>
  owntracks.read({ query, headers, body: Buffer.from(body), client }, NOW)
const recorded = (name: string) => owntracks.read(fixtureRequest(name), NOW)

const PLAIN = { _type: 'location', tid: 'JJ', tst: 1497476456, lat: 48.85, lon: 2.295 }
const location = (fields: object) => onlyRow(read(JSON.stringify({ ...PLAIN, ...fields })))

describe('A message of OwnTracks', () => {
  const RECORDED: Record<string, Packet> = {
    'owntracks-android': packetOf('owntracks/jane/5t', [1551874878_000, 46.0681247, 11.1512805], {
      ...{ altitude: 440, speed: 0, accuracy: 15 },
    }),
    'owntracks-moving': packetOf('JJ', [1497349316_000, 48.85833, 2.29513], {
      ...{ altitude: 167, angle: 271, speed: 61, accuracy: 5 },
    }),
    'owntracks-ios': packetOf(
      'owntracks/ckrey/22A67880-15C3-41A6-9157-25545C7993AC',
      [1736161169_000, 37, -122],
      { altitude: 0, accuracy: 5 },
    ),
    'owntracks-queclink': packetOf(
      'owntracks/qtripp/865284041968706',
      [1736519167_000, 47.420051, 13.654704],
      { altitude: 1113, angle: 113, speed: 0, accuracy: 10 },
    ),
  }
  for (const [name, packet] of Object.entries(RECORDED)) {
    it(`is parsed from a recorded request: ${name}`, () => {
      assert.deepEqual(withoutAttributes(onlyRow(recorded(name))), packet)
    })
  }

  it('is acknowledged and ignored if it is not a location', () => {
    assert.deepEqual(recorded('owntracks-lwt'), [])
    for (const type of ['transition', 'waypoints', 'card', 'status', 'unheard-of']) {
      assert.deepEqual(read(JSON.stringify({ ...PLAIN, _type: type })), [])
    }
    assert.deepEqual(read(''), [])
  })

  it('is not acknowledged if it is encrypted', () => {
    const refusal = read('{"_type":"encrypted","data":"abc"}')
    assert.ok('status' in refusal && refusal.status === 400)
    assert.match(refusal.message, /encryption key/)
  })

  it('is identified by its topic, else by its user and device, else by its tid', () => {
    const names = { 'x-limit-u': 'jane', 'x-limit-d': 'phone' }
    const message = JSON.stringify(PLAIN)
    const identOf = (rows: ReturnType<typeof read>) => onlyRow(rows).ident
    assert.equal(identOf(read(message)), 'JJ')
    assert.equal(identOf(read(message, names)), 'owntracks/jane/phone')
    assert.equal(identOf(read(message, {}, 'u=jane&d=phone')), 'owntracks/jane/phone')
    assert.equal(identOf(read(message, { 'x-limit-u': 'jane' })), 'JJ')
    const withTopic = JSON.stringify({ ...PLAIN, topic: 'own/joe/van' })
    assert.equal(identOf(read(withTopic, names)), 'own/joe/van')
  })

  it('has the speed in meters per second if GPSLogger wrote it', () => {
    const speedOf = (client: FeedClient) => {
      const packet = onlyRow(read(JSON.stringify({ ...PLAIN, vel: 10 }), {}, '', client))
      return 'fix' in packet && packet.fix.speed
    }
    assert.deepEqual([speedOf('gpslogger'), speedOf('owntracks')], [36, 10])
  })

  it('has counters and ignition from trackers, and negative numbers for unknown values', () => {
    const result = location({ odometer: 12.5, hmc: 5400, ign: true, vel: -1, cog: -1 })
    const counters = { odometer: 12.5, engineHours: 1.5, ignition: true }
    assert.deepEqual(result, packetOf('JJ', [1497476456_000, 48.85, 2.295], counters))
  })

  it('has optional values as texts, and those that cannot be read are unknown', () => {
    const at = [1497476456_000, 48.85, 2.295] as const
    assert.deepEqual(
      location({ vel: '12', ign: 1 }),
      packetOf('JJ', [...at], { speed: 12, ignition: true }),
    )
    assert.deepEqual(location({ vel: 'x' }), { ...packetOf('JJ', [...at]), unread: ['vel'] })
  })

  it('is rejected with the name of the wrong field', () => {
    const wrong: [object, string, RegExp][] = [
      [{ tid: undefined }, 'missing_field', /^topic or tid is missing$/],
      [{ tst: undefined }, 'missing_field', /^tst/],
      [{ tst: 'x' }, 'bad_time', /^tst/],
      [{ lat: undefined }, 'missing_field', /^lat/],
      [{ lon: '2' }, 'bad_number', /^lon/],
    ]
    for (const [fields, reason, message] of wrong) {
      const result = location(fields)
      assert.ok('reason' in result && result.reason === reason, JSON.stringify(fields))
      assert.match(result.message, message)
    }
    for (const body of ['{', '[]', '{}', '{"_type":7}', 'null']) {
      const refusal = read(body)
      assert.ok('status' in refusal && refusal.status === 400, body)
    }
  })

  it('never makes the parser throw', () => {
    const any = fc.jsonValue()
    const message = fc.record(
      { tid: any, topic: any, tst: any, lat: any, lon: any, vel: any, ign: any },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(any, message), fc.string(), (value, query) => {
        read(JSON.stringify(value), {}, query)
        read(JSON.stringify({ ...(value as object), _type: 'location' }), {}, query)
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => void read(Buffer.from(bytes).toString('latin1'))),
    )
  })
})
