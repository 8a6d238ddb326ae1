import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  fixtureRequest,
  NOW,
  onlyRow,
  packetOf,
  withoutAttributes,
} from '../../../../testing/feed-format/fixture.ts'
import { isFault } from '../packet.ts'
import { overland } from './overland.ts'

const read = (body: unknown) =>
  overland.read(
    { query: '', headers: {}, body: Buffer.from(JSON.stringify(body)), client: null },
    NOW,
  )

const TIME = '2026-11-20T09:59:00Z'
const POINT = { type: 'Point', coordinates: [13.4, 52.5] }
const feature = (properties: object, geometry: unknown = POINT) => ({
  type: 'Feature',
  geometry,
  properties: { timestamp: TIME, device_id: 'phone', ...properties },
})
const location = (properties: object, geometry?: unknown) =>
  onlyRow(read({ locations: [feature(properties, geometry)] }))
const packet = packetOf('phone', [TIME, 52.5, 13.4])

describe('A batch of Overland', () => {
  it('has the positions of a composed request, without trips, visits and the current one', () => {
    const rows = overland.read(fixtureRequest('overland-batch'), NOW)
    assert.ok(Array.isArray(rows))
    const shared = { altitude: 30, accuracy: 5 }
    assert.deepEqual(rows.map(withoutAttributes), [
      packetOf('phone', ['2024-06-01T08:00:00Z', 52.5, 13.4], { ...shared, speed: 4 * 3.6 }),
      packetOf('phone', ['2024-06-01T08:01:00Z', 52.5, 13.4], { ...shared, angle: 271.5 }),
    ])
    const [first] = rows
    assert.ok(first !== undefined && !isFault(first))
    const attributes = first.fix.attributes!.map(({ name, value }) => [name, value])
    assert.deepEqual(Object.fromEntries(attributes), {
      ...{ battery_level: 0.81, battery_state: 'unplugged' },
      ...{ motion: 'driving,stationary', vertical_accuracy: -1 },
    })
  })

  it('loses no position for an optional value', () => {
    for (const [name, value] of [
      ['altitude', 'high'],
      ['speed', 99_999],
      ['horizontal_accuracy', {}],
      ['course', 361],
    ] as const) {
      assert.deepEqual(location({ [name]: value }), { ...packet, unread: [name] })
    }
    for (const absent of [{ speed: -1 }, { course: -1 }, { altitude: null }, { wifi: '' }]) {
      assert.deepEqual(location(absent), packet)
    }
  })

  it('names its phone by device_id, or by unique_id while that is empty', () => {
    assert.deepEqual(location({ device_id: '', unique_id: 'phone' }), packet)
    for (const device_id of ['', null, 7, undefined]) {
      const row = location({ device_id })
      assert.ok(isFault(row) && /device_id/.test(row.message), JSON.stringify(row))
    }
  })

  it('has offsets without a colon, and signs of life without a place', () => {
    assert.deepEqual(location({ timestamp: '2026-11-20T02:59:00-0700' }), packet)
    assert.deepEqual(location({}, null), packetOf('phone', [TIME, 0, 0]))
  })

  it('has a fault for each location that is wrong, and none for the others', () => {
    const wrong = [
      null,
      7,
      [],
      {},
      feature({ timestamp: 'now' }),
      feature({}, { coordinates: [1] }),
    ]
    const rows = read({ locations: [...wrong, feature({})] })
    assert.ok(Array.isArray(rows))
    assert.deepEqual(
      rows.map((row) => (isFault(row) ? row.reason : 'read')),
      ['bad_row', 'bad_row', 'bad_row', 'missing_field', 'bad_time', 'missing_field', 'read'],
    )
    for (const body of [{}, [], null, { locations: {} }]) {
      const refusal = read(body)
      assert.ok('status' in refusal && refusal.status === 400)
    }
  })

  it('is read in turns if it is long, with the same rows', async () => {
    const locations = Array.from({ length: 1_000 }, (_, at) =>
      feature({ timestamp: Date.parse(TIME) / 1000 - at, wifi: 'a'.repeat(60) }),
    )
    const reading = read({ locations, trip: { start: TIME } })
    assert.ok(reading instanceof Promise)
    const rows = await reading
    assert.ok(Array.isArray(rows))
    assert.equal(rows.length, 1_000)
    const at = (index: number) => onlyRow(read({ locations: [locations[index]] }))
    assert.deepEqual([rows[0], rows[999]], [at(0), at(999)])
  })

  it('is refused if it has too many positions or attributes', async () => {
    const many = await read({ locations: Array.from({ length: 10_001 }, () => ({})) })
    assert.ok('status' in many && many.status === 413 && many.errorCode === 'FEED.413_002')
    const values = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, at]))
    const full = await read({ locations: Array.from({ length: 850 }, () => feature(values)) })
    assert.ok('status' in full && full.errorCode === 'FEED.413_003')
  })
})
