import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fixtureRequest, NOW, onlyRow } from '../../../../testing/feed-format/fixture.ts'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { ALL_TIME, newFleet, recordsOf } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import type { Attribute } from '../../../base/domain/position/attribute.ts'
import { unpackFix } from '../../../base/domain/position/fix-record.ts'
import { foldRules } from '../../../engine/tracking/rules/advance.ts'
import { tooManyAttributes } from '../feed-refusal.ts'
import type { Packet, Row } from '../packet.ts'
import type { Format } from './format.ts'
import { native } from './native.ts'
import { osmand } from './osmand.ts'
import { owntracks } from './owntracks.ts'
import { traccar } from './traccar.ts'

type Recorded = { device: string; attributes: Record<string, unknown> }

const RECORDED: readonly Recorded[] = JSON.parse(
  readFileSync(
    new URL('../../../../testing/feed-format/fixtures/attributes.json', import.meta.url),
    'utf8',
  ),
)
/** The attributes of Traccar that are fields. */
const FIELDS = ['sat', 'hdop', 'ignition', 'odometer', 'hours']

const request = (body: unknown, query = '') => ({
  ...{ query, headers: {}, client: null },
  body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
})

function packetIn(row: Row): Packet {
  assert.ok('fix' in row, JSON.stringify(row))
  return row
}

function forwarded(attributes: unknown, device: object = {}): Packet {
  const position = { fixTime: NOW - 1_000, valid: true, latitude: 41, longitude: 2, attributes }
  const body = { position, device: { uniqueId: 'a1', ...device } }
  return packetIn(onlyRow(traccar.read(request(body), NOW)))
}

function sentNatively(fields: object): Packet {
  const row = { ident: 'a1', time_device: NOW - 1_000, latitude: 41, longitude: 2, ...fields }
  return packetIn(onlyRow(native.read(request([row]), NOW)))
}

/** The attributes of a fix after it was stored, by the names of the object. */
async function storedAttributes(packet: Packet) {
  const { store, cleanUp } = await temporaryStore()
  try {
    const rules = foldRules(handedClock(NOW * 1_000))
    const { organization, object, append, state } = await newFleet(store)
    assert.deepEqual(await append([packet.fix], rules), ['accepted'])
    const records = await recordsOf(
      await store.positions.history(organization, object, ALL_TIME, null),
    )
    const current = (await state())!.attributes
    return { read: unpackFix(records, 0, current).attributes, current }
  } finally {
    await cleanUp()
  }
}

describe('The attributes of a recorded packet', () => {
  for (const { device, attributes } of RECORDED) {
    it(`are kept with their types: ${device}`, async () => {
      const packet = forwarded(attributes)
      const { read, current } = await storedAttributes(packet)
      const expected = Object.entries(attributes)
        .filter(([name]) => !FIELDS.includes(name) && name !== 'result')
        .map(([name, value]) => ({ name, value }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      assert.deepEqual(read, expected)
      assert.deepEqual(packet.lost, 'result' in attributes ? ['result'] : undefined)
      const { timeDevice: at } = packet.fix
      assert.deepEqual(
        current,
        expected.map((each) => ({ ...each, at, count: 1 })),
      )
    })
  }

  const REQUESTS: Record<string, [Format, Record<string, unknown>]> = {
    'osmand-android-post': [osmand, { batt: 88 }],
    'osmand-tracker-ignition': [osmand, { fuel: 24, rpm: 933 }],
    'osmand-tracker-deviceid': [osmand, { hacc: 0, vacc: 0 }],
    'osmand-json-template': [
      osmand,
      {
        ...{ 'activity.type': 'still', 'battery.is_charging': false, 'battery.level': 1 },
        ...{ event: 'motionchange', is_moving: false },
      },
    ],
    'owntracks-android': [owntracks, { batt: 46, conn: 'w', t: 'u', vac: 2 }],
    'owntracks-moving': [owntracks, { batt: 67, t: 'u', vac: 21 }],
    'owntracks-ios': [owntracks, { conn: 'w', m: 1, t: 'u' }],
    'owntracks-queclink': [
      owntracks,
      { cid: '673A', don: 105, lac: '4F4D', mcc: 232, mnc: 1, t: 'I' },
    ],
  }
  for (const [name, [format, values]] of Object.entries(REQUESTS)) {
    it(`are those of its request: ${name}`, () => {
      const { fix, lost } = packetIn(onlyRow(format.read(fixtureRequest(name), NOW)))
      assert.deepEqual(Object.fromEntries(pairsOf(fix.attributes)), values)
      assert.equal(lost, undefined)
    })
  }
})

describe('Attributes', () => {
  it('are members of a native row', () => {
    const { fix, lost } = sentNatively({
      attributes: { fuel: 40.5, driver: 'Ayşe', door: false, gone: null, card: '' },
    })
    assert.deepEqual(pairsOf(fix.attributes), [
      ['card', ''],
      ['door', false],
      ['driver', 'Ayşe'],
      ['fuel', 40.5],
    ])
    assert.equal(lost, undefined)
    assert.deepEqual(sentNatively({ attributes: 'x' }).unread, ['attributes'])
    assert.equal(sentNatively({ attributes: {} }).fix.attributes, null)
    assert.equal(sentNatively({}).fix.attributes, null)
  })

  it('cost nothing else of a packet if they cannot be kept', () => {
    const wrong = { a: { b: 1 }, c: [1], d: 'x'.repeat(65), e: 'two\nlines', ['n'.repeat(65)]: 1 }
    const { fix, lost } = sentNatively({ speed: 5, attributes: { ...wrong, '': 1, good: 1 } })
    assert.deepEqual(lost?.toSorted(), ['', 'a', 'c', 'd', 'e', `${'n'.repeat(39)}…`])
    assert.deepEqual([fix.speed, pairsOf(fix.attributes)], [5, [['good', 1]]])
  })

  it('are as many as a record has room for', () => {
    const many = Object.fromEntries(Array.from({ length: 520 }, (_, i) => [`n${i + 1_000}`, true]))
    const short = sentNatively({ attributes: many })
    assert.deepEqual([short.fix.attributes?.length, short.lost?.length], [511, 9])
    const long = Object.keys(many).map((name) => [name, 'x'.repeat(64)])
    const texts = sentNatively({ attributes: Object.fromEntries(long) })
    assert.deepEqual([texts.fix.attributes?.length, texts.lost?.length], [15, 20])
  })

  it('are at most 50,000 in a request', async () => {
    const row = { ident: 'a1', time_device: NOW, latitude: 41, longitude: 2 }
    const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`n${i}`, i]))
    const of = (rows: number) => request(new Array(rows).fill({ ...row, attributes }))
    assert.equal(((await native.read(of(2_500), NOW)) as Row[]).length, 2_500)
    assert.equal(await native.read(of(2_501), NOW), tooManyAttributes)
  })

  it('do not have what is a field, whatever its name', () => {
    const { fix } = sentNatively({ attributes: { Ignition: 'on', Satellites: 9, HDOP: '1.5' } })
    assert.deepEqual([fix.ignition, fix.gpsLevel, fix.hdop, fix.attributes], [true, 9, 1.5, null])
    const both = sentNatively({ ignition: false, attributes: { ignition: true } })
    assert.deepEqual([both.fix.ignition, both.fix.attributes], [false, null])
    const unread = sentNatively({ attributes: { ignition: 'perhaps', sat: '12/4' } })
    assert.deepEqual([unread.fix.ignition, unread.unread], [null, ['ignition', 'gps_level']])
  })

  it('have the types that their texts show, where a format has texts only', () => {
    const sent = 'id=7&lat=1&lon=2&a=12.50&b=007&c=true&d=-3&e=1e5&f=&g=12345678901234567890&h=no'
    const { fix } = packetIn(onlyRow(osmand.read(request(undefined, sent), NOW)))
    assert.deepEqual(pairsOf(fix.attributes), [
      ...[
        ['a', 12.5],
        ['b', '007'],
        ['c', true],
        ['d', -3],
      ],
      ...[
        ['e', '1e5'],
        ['g', '12345678901234567890'],
        ['h', 'no'],
      ],
    ])
  })
})

describe('The name of a device of a Traccar server', () => {
  it('is the name of the object that its packet creates', () => {
    assert.equal(forwarded({}, { name: 'Van 7' }).name, 'Van 7')
    for (const name of ['', null, 5, 'x'.repeat(1_000)]) {
      assert.equal(forwarded({}, { name }).name, undefined)
    }
  })
})

function pairsOf(attributes: readonly Attribute[] | null): unknown[][] {
  return (attributes ?? []).map(({ name, value }) => [name, value])
}
