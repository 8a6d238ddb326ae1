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
import { type Packet, routedFacts } from '../packet.ts'
import { traccar } from './traccar.ts'

const readText = (body: string) =>
  traccar.read({ query: '', headers: {}, body: Buffer.from(body), client: null }, NOW)
const read = (body: unknown) => readText(JSON.stringify(body))
const recorded = (name: string) =>
  withoutAttributes(onlyRow(traccar.read(fixtureRequest(name), NOW)))

const POSITION = {
  fixTime: '2026-11-20T09:59:00.000+00:00',
  valid: true,
  latitude: 1,
  longitude: 2,
}
const DEVICE = { id: 4, uniqueId: 'a1' }
const AT = Date.UTC(2026, 10, 20, 9, 59)
const position = (fields: object) =>
  onlyRow(read({ position: { ...POSITION, ...fields }, device: DEVICE }))

describe('A position that a Traccar server forwards', () => {
  it('is parsed from a recorded request', () => {
    const expected = packetOf('888888888888888', ['2019-12-20T06:28:42Z', 53.8862733, 27.449195], {
      ...{ altitude: 241, angle: 316, speed: 0, gpsLevel: 13, ignition: true },
      ...{ odometer: 6902.74, engineHours: 737 / 3600 },
    })
    assert.deepEqual(recorded('traccar-teltonika'), expected)
  })

  it('only updates the last contact if the fix is invalid or outdated', () => {
    const invalid = packetOf('861585043200862', ['2021-12-20T11:12:19Z', 0, 0])
    assert.deepEqual(recorded('traccar-meitrack-invalid'), invalid)
    assert.deepEqual(position({ outdated: true }), packetOf('a1', [AT, 0, 0]))
  })

  it('leads to its owner by all digits of an integer beyond 2^53', () => {
    const body = JSON.stringify({
      position: { ...POSITION, attributes: { tag: 0 } },
      device: DEVICE,
    })
    const request = { query: '', headers: {}, client: null, isRouted: true }
    const text = body.replace('"tag":0', '"tag":1048576000123456789')
    const row = onlyRow(traccar.read({ ...request, body: Buffer.from(text) }, NOW))
    assert.equal(routedFacts(row as Packet).attribute('tag'), '1048576000123456789')
  })

  it('has speeds in knots, and the address', () => {
    const sent = { speed: 10, course: -1, address: 'Gran Via 1', attributes: { hdop: 1.5 } }
    const fields = { speed: 18.52, address: 'Gran Via 1', hdop: 1.5 }
    assert.deepEqual(position(sent), packetOf('a1', [AT, 1, 2], fields))
  })

  it('has times in ISO 8601 or milliseconds, that of the fix before that of the device', () => {
    const plain = position({})
    for (const fixTime of ['2026-11-20T09:59:00.000+0000', AT]) {
      assert.deepEqual(position({ fixTime, deviceTime: 5 }), plain)
    }
    assert.deepEqual(position({ fixTime: null, deviceTime: AT }), plain)
  })

  it('does not use the distance that Traccar computes as the odometer', () => {
    const { fix } = position({ attributes: { totalDistance: 5 } }) as Packet
    assert.equal(fix.odometer, null)
  })

  it('has unknown values where they cannot be read, and no place in a sign of life', () => {
    const attributes = { ignition: 'on', sat: '12/4' }
    const expected = packetOf('a1', [AT, 1, 2], { ignition: true })
    assert.deepEqual(position({ speed: {}, attributes }), { ...expected, unread: ['speed', 'sat'] })
    const placeless = position({ latitude: null, longitude: null })
    assert.deepEqual(placeless, packetOf('a1', [AT, 0, 0]))
  })

  it('is rejected with the name of the wrong field', () => {
    const wrong: [object, string, RegExp][] = [
      [{ fixTime: undefined }, 'missing_field', /^fixTime is missing$/],
      [{ fixTime: 'x' }, 'bad_time', /^fixTime/],
      [{ latitude: undefined }, 'missing_field', /^latitude/],
      [{ longitude: '2' }, 'bad_number', /^longitude/],
    ]
    for (const [fields, reason, message] of wrong) {
      const result = position(fields)
      assert.ok('reason' in result && result.reason === reason, JSON.stringify(fields))
      assert.match(result.message, message)
      assert.equal(result.ident, 'a1')
    }
    const nameless = onlyRow(read({ position: POSITION, device: {} }))
    assert.equal((nameless as { message: string }).message, 'device.uniqueId is missing')
    for (const body of ['', '{', '[]', '{}', '{"device":{}}', '{"position":{}}', 'null']) {
      const refusal = readText(body)
      assert.ok('status' in refusal && refusal.status === 400, body)
    }
  })

  it('never makes the parser throw', () => {
    const any = fc.jsonValue()
    const record = fc.record(
      {
        fixTime: fc.oneof(any, fc.constant(AT)),
        latitude: fc.oneof(any, fc.double()),
        longitude: fc.oneof(any, fc.double()),
        valid: any,
        attributes: fc.oneof(any, fc.record({ ignition: any, hours: any })),
        address: any,
      },
      { requiredKeys: [] },
    )
    const body = fc.record({
      position: fc.oneof(any, record),
      device: fc.oneof(any, fc.record({ uniqueId: fc.oneof(any, fc.string()) })),
    })
    fc.assert(fc.property(fc.oneof(any, body), (value) => void read(value)))
  })
})
