import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { NOW, onlyRow } from '../../../testing/feed-format/fixture.ts'
import { OBJECT_RULES } from '../../base/domain/monitored-object.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { osmand } from '../../faces/feed/formats/osmand.ts'
import { traccar } from '../../faces/feed/formats/traccar.ts'
import type { Packet } from '../../faces/feed/packet.ts'
import type { OutgoingRequest } from './outgoing.ts'
import { type RelayedPosition, relayed } from './relay-forms.ts'

const URL_HERE = 'https://example.com/in?token=secret'

const hundredths = (minimum: number, maximum: number) =>
  fc.option(fc.integer({ min: minimum * 100, max: maximum * 100 }).map((each) => each / 100))
const coordinate = (limit: number) =>
  fc.integer({ min: 1, max: limit * 1e7 }).map((each) => each / 1e7)

const anyIdent = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 30 })
  .filter((ident) => OBJECT_RULES.ident.holds(ident) && !ident.includes('\ufffd'))

const anyFields = {
  id: fc.integer({ min: 1, max: 2 ** 40 }),
  ident: anyIdent,
  name: fc.constant('Van & Ömer'),
  latitude: coordinate(90),
  longitude: coordinate(180),
  altitude: hundredths(-400, 9_000),
  angle: hundredths(0, 360),
  speed: hundredths(0, 4_000),
  time_server: fc.constant(formatInstant(NOW)),
  time_device: fc.integer({ min: Date.UTC(2000), max: NOW }).map(formatInstant),
  address: fc.option(fc.constant('Kennedy Cd. 14, Fatih')),
  ignition: fc.option(fc.boolean()),
  hdop: hundredths(0, 600),
  gps_level: fc.option(fc.integer({ min: 0, max: 255 })),
  accuracy: hundredths(1, 20_000),
  exact: fc.record(
    {
      odometer_mm: fc.option(fc.integer({ min: 0, max: 1e14 })),
      engine_hours_ms: fc.option(fc.integer({ min: 0, max: 1e12 })),
    },
    { noNullPrototype: true },
  ),
}
const anyPosition: fc.Arbitrary<RelayedPosition> = fc.record(anyFields, { noNullPrototype: true })

function requestOf(form: 'osmand' | 'traccar', position: RelayedPosition): OutgoingRequest {
  const outgoing = relayed(form, { url: URL_HERE }, 'X-Feed-Token: hidden', [position])
  if (!('requests' in outgoing)) assert.fail()
  return outgoing.requests[0]!
}

/** The packet that the feed of Fleetgate reads from a request. */
function decoded(form: 'osmand' | 'traccar', position: RelayedPosition): Packet {
  const { url, headers, body } = requestOf(form, position)
  const request = {
    query: form === 'osmand' ? new URL(url).search.slice(1) : '',
    ...{ headers, body: Buffer.from(body ?? ''), client: null },
  }
  const rows = (form === 'osmand' ? osmand : traccar).read(request, NOW)
  return onlyRow(rows) as Packet
}

function near(actual: number | null, expected: number | null): void {
  if (actual === null || expected === null) assert.equal(actual, expected)
  else assert.ok(Math.abs(actual - expected) <= Math.abs(expected) * 1e-12, `${actual} ${expected}`)
}

for (const form of ['osmand', 'traccar'] as const) {
  describe(`A position in the form ${form}`, () => {
    it('is what the feed of Fleetgate reads from it', () => {
      fc.assert(
        fc.property(anyPosition, (position) => {
          const { ident, fix } = decoded(form, position)
          const { latitude, longitude, altitude, angle, hdop, accuracy, ignition } = position
          assert.equal(ident, position.ident)
          assert.equal(fix.timeDevice, Date.parse(position.time_device))
          const same = { latitude, longitude, altitude, angle, hdop, accuracy, ignition }
          assert.partialDeepStrictEqual(fix, { ...same, gpsLevel: position.gps_level })
          near(fix.speed, position.speed)
          const { odometer_mm: odometer, engine_hours_ms: hours } = position.exact
          near(fix.odometer, odometer && odometer / 1e6)
          near(fix.engineHours, hours && hours / 3.6e6)
        }),
      )
    })

    it('has attributes by the names that Traccar gives them', () => {
      const [position] = fc.sample(anyPosition, { numRuns: 1, seed: 1 })
      const attributes = { battery_level: 71, driver: 'ayla', door: true, lat: 7 }
      const given = decoded(form, { ...position!, attributes }).fix.attributes
      const text = JSON.stringify([...(given ?? [])])
      for (const name of ['driverUniqueId', 'door']) assert.ok(text.includes(name), text)
    })
  })
}

describe('A request of a relay', () => {
  const [position] = fc.sample(anyPosition, { numRuns: 1, seed: 2 })

  it('keeps the parameters of the URL, and has the header of the credentials', () => {
    const { url, method, headers } = requestOf('osmand', {
      ...position!,
      attributes: { token: 'other', id: 'other' },
    })
    const { searchParams, pathname } = new URL(url)
    assert.equal(method, 'GET')
    assert.equal(pathname, '/in')
    assert.deepEqual(searchParams.getAll('token'), ['secret'])
    assert.deepEqual(searchParams.getAll('id'), [position!.ident])
    assert.equal(headers['X-Feed-Token'], 'hidden')
    assert.equal(requestOf('traccar', position!).url, URL_HERE)
  })

  it('has the ident in one level of an MQTT topic, whatever it is', () => {
    fc.assert(
      fc.property(anyPosition, fc.constantFrom('', '/', '/a/b', '/a/'), (each, path) => {
        const outgoing = relayed('mqtt', { url: `mqtts://example.com${path}` }, null, [each])
        if (!('messages' in outgoing)) assert.fail()
        const [{ topic, payload }] = outgoing.messages as [{ topic: string; payload: string }]
        const levels = topic.split('/')
        assert.equal(decodeURIComponent(levels.pop()!), each.ident)
        assert.equal(
          levels.join('/'),
          path.startsWith('/a') ? path.slice(1).replace(/\/$/, '') : 'fleetgate',
        )
        assert.ok(!/[+#]/.test(topic))
        assert.deepEqual(JSON.parse(payload), each)
      }),
    )
  })
})
