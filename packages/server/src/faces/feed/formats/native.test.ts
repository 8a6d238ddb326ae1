import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { NOW, packetOf } from '../../../../testing/feed-format/fixture.ts'
import { MAX_ROWS, tooManyRows } from '../feed-refusal.ts'
import type { Row } from '../packet.ts'
import { SLICE_BYTES } from './format.ts'
import { native } from './native.ts'

const readAny = (body: string | Buffer) =>
  native.read({ query: '', headers: {}, body: Buffer.from(body), client: null }, NOW)
/** The rows of a body that is parsed in one slice. */
const read = (body: string | Buffer) => {
  const rows = readAny(body)
  assert.ok(!(rows instanceof Promise))
  return rows
}
const rowsOf = (body: string | Buffer): Row[] => {
  const rows = read(body)
  assert.ok(Array.isArray(rows), JSON.stringify(rows))
  return rows
}
const row = (fields: object) => rowsOf(JSON.stringify([fields]))[0]

const PLAIN = { ident: 'a1', time_device: '2026-11-20T09:59:00Z', latitude: 1.5, longitude: -2.5 }
const AT = Date.UTC(2026, 10, 20, 9, 59)

describe('A row of the native format', () => {
  it('needs an ident, a time and a place, and nothing else', () => {
    assert.deepEqual(row(PLAIN), packetOf('a1', [AT, 1.5, -2.5]))
    assert.deepEqual(row({ ...PLAIN, speed: null, wheels: 4 }), row(PLAIN))
  })

  it('has all fields of a fix, in their units', () => {
    const full = {
      ...PLAIN,
      altitude: -3.5,
      angle: 271,
      speed: 83.25,
      hdop: 0.9,
      satellites: 11,
      ignition: false,
      odometer: 120_345.6,
      engine_hours: 5507.395,
      address: 'Carrer de Pallars, 193',
    }
    const fields = {
      ...{ altitude: -3.5, angle: 271, speed: 83.25, hdop: 0.9, gpsLevel: 11, ignition: false },
      ...{ odometer: 120_345.6, engineHours: 5507.395, address: 'Carrer de Pallars, 193' },
    }
    assert.deepEqual(row(full), packetOf('a1', [AT, 1.5, -2.5], fields))
    assert.deepEqual(row({ ...PLAIN, gps_level: 11 }), row({ ...PLAIN, satellites: 11 }))
  })

  it('has a time with a zone, without one, or as seconds or milliseconds since 1970', () => {
    for (const time of ['2026-11-20T10:59:00.000+01:00', '2026-11-20 09:59:00Z', AT, AT / 1000]) {
      assert.deepEqual(row({ ...PLAIN, time_device: time }), row(PLAIN), String(time))
    }
    for (const time of ['2026-11-20T09:59:00', '2026-11-20 09:59']) {
      const local = { ...row(PLAIN), isLocalTime: true }
      assert.deepEqual(row({ ...PLAIN, time_device: time }), local, time)
    }
  })

  it('is rejected with the field and the rule if it is wrong', () => {
    const wrong: [object, string, RegExp][] = [
      [{ ident: undefined }, 'missing_field', /^ident is missing$/],
      [{ ident: '' }, 'missing_field', /^ident is missing$/],
      [{ ident: 12 }, 'bad_ident', /^ident must be text of 1 to 64 characters/],
      [{ ident: 'x'.repeat(65) }, 'bad_ident', /64/],
      [{ ident: 'a\ufffd' }, 'bad_ident', /^ident/],
      [{ ident: 'a\u202e1' }, 'bad_ident', /^ident .* the hidden character U\+202E$/],
      [{ time_device: undefined }, 'missing_field', /^time_device is missing$/],
      [{ time_device: '2026-02-30T00:00:00Z' }, 'bad_time', /^time_device must be ISO 8601/],
      [{ time_device: 'soon' }, 'bad_time', /^time_device/],
      [{ time_device: true }, 'bad_time', /^time_device/],
      [{ time_device: -1 }, 'bad_time', /^time_device/],
      [{ latitude: undefined }, 'missing_field', /^latitude is missing$/],
      [{ latitude: null }, 'missing_field', /^latitude is missing$/],
      [{ longitude: '2.5' }, 'bad_number', /^longitude must be a decimal number$/],
    ]
    for (const [fields, reason, message] of wrong) {
      const parsed = row({ ...PLAIN, ...fields })
      assert.ok(parsed !== undefined && 'reason' in parsed, JSON.stringify(fields))
      assert.equal(parsed.reason, reason, JSON.stringify(fields))
      assert.match(parsed.message, message)
      assert.equal(parsed.ident, reason === 'bad_ident' || 'ident' in fields ? parsed.ident : 'a1')
    }
    const infinite = rowsOf(`[{"ident":"a1","time_device":1,"latitude":1e999,"longitude":1}]`)[0]
    assert.ok(infinite !== undefined && 'reason' in infinite && infinite.reason === 'bad_number')
  })
})

describe('An optional value', () => {
  const plain = row(PLAIN)
  assert.ok(plain !== undefined && 'fix' in plain)
  const { fix } = plain

  it('is read from a number, from its text, and from any word for on and off', () => {
    const given = { speed: '50', odometer: '7.5', hdop: '1e0', ignition: 'ON', angle: '' }
    const read = { speed: 50, odometer: 7.5, hdop: 1, ignition: true }
    assert.deepEqual(row({ ...PLAIN, ...given }), { ...plain, fix: { ...fix, ...read } })
    for (const [written, ignition] of [
      ...([true, 1, '1', 'true', 'on', 'Yes'] as const).map((word) => [word, true] as const),
      ...([false, 0, '0', 'FALSE', 'OFF', 'no'] as const).map((word) => [word, false] as const),
    ]) {
      const packet = row({ ...PLAIN, ignition: written })
      assert.deepEqual(packet, { ...plain, fix: { ...fix, ignition } }, String(written))
    }
  })

  it('stays unknown if it cannot be read or no vehicle has it, and the packet names it', () => {
    const wrong: [field: string, values: unknown[]][] = [
      ['speed', ['fast', '12/4', [1], {}, true, -1, 5_000, '1,5']],
      ['altitude', [22_000_000, -22_000_000]],
      ['angle', [361, -1]],
      ['odometer', [100_000_001]],
      ['engine_hours', [10_000_001]],
      ['satellites', [256, '12/4']],
      ['hdop', [-1]],
      ['ignition', [2, 'perhaps', 'onoff', {}, 'constructor']],
      ['address', [5, 'a\u0000b', 'x'.repeat(1_025)]],
    ]
    for (const [field, values] of wrong) {
      for (const value of values) {
        const shown = `${field} ${JSON.stringify(value).slice(0, 20)}`
        assert.deepEqual(row({ ...PLAIN, [field]: value }), { ...plain, unread: [field] }, shown)
      }
    }
    const both = row({ ...PLAIN, speed: 'x', ignition: 'x', altitude: 5 })
    const unread = ['speed', 'ignition']
    assert.deepEqual(both, { ...plain, fix: { ...fix, altitude: 5 }, unread })
  })

  it('is the limit if a quality is even worse', () => {
    assert.deepEqual(row({ ...PLAIN, hdop: 9_999 }), { ...plain, fix: { ...fix, hdop: 655 } })
  })
})

describe('A row without a place', () => {
  it('is a sign of life, unless it has one coordinate', () => {
    const { latitude: _, longitude: __, ...placeless } = PLAIN
    const packet = row({ ...placeless, satellites: 0 })
    assert.ok(packet !== undefined && 'fix' in packet)
    assert.deepEqual([packet.fix.latitude, packet.fix.longitude], [0, 0])
  })
})

describe('A body of the native format', () => {
  it('is an array or NDJSON, with the same result', () => {
    const rows = [PLAIN, { ...PLAIN, ident: 'b2', speed: 5 }, { ...PLAIN, ident: 7 }]
    const lines = rows.map((each) => JSON.stringify(each))
    const array = rowsOf(` \n${JSON.stringify(rows)}`)
    assert.deepEqual(rowsOf(lines.join('\n')), array)
    assert.deepEqual(rowsOf(`\n${lines.join('\r\n\r\n')}\n\n`), array)
  })

  it('loses only the broken line', () => {
    const line = JSON.stringify(PLAIN)
    const rows = rowsOf(`${line}\n{"ident":"a1",\n7\n${line}\n${line.slice(0, -9)}`)
    assert.deepEqual(
      rows.map((each) => ('reason' in each ? each.reason : each.ident)),
      ['a1', 'bad_json', 'bad_row', 'a1', 'bad_json'],
    )
  })

  it('loses only an element that is not an object', () => {
    const rows = rowsOf(JSON.stringify([null, PLAIN, [PLAIN], 'x']))
    assert.deepEqual(
      rows.map((each) => ('reason' in each ? each.reason : each.ident)),
      ['bad_row', 'a1', 'bad_row', 'bad_row'],
    )
  })

  it('is rejected as a whole if it is empty, cut or too long', () => {
    for (const body of ['', ' \n', '[', '[{}', `[${JSON.stringify(PLAIN)}]]`]) {
      const refusal = read(body)
      assert.ok('status' in refusal && refusal.status === 400, body)
    }
    assert.equal(read(JSON.stringify(new Array(MAX_ROWS + 1).fill(0))), tooManyRows)
    assert.equal(read('0\n'.repeat(MAX_ROWS + 1)), tooManyRows)
    assert.equal(rowsOf(JSON.stringify(new Array(MAX_ROWS).fill(0))).length, MAX_ROWS)
    assert.equal(rowsOf('0\n'.repeat(MAX_ROWS)).length, MAX_ROWS)
    assert.deepEqual(rowsOf('[]'), [])
  })

  it('never throws', () => {
    const rowish = fc.record(
      Object.fromEntries(
        ['ident', 'time_device', 'latitude', 'longitude', 'speed', 'ignition', 'address'].map(
          (name) => [name, fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(PLAIN)))],
        ),
      ),
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.array(rowish)),
        (value) => void read(JSON.stringify(value)),
      ),
    )
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void read(Buffer.from(bytes))))
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void read(`[${text}`)))
    assert.ok('status' in read('['.repeat(1_000_000)))
  })
})

describe('A long body of the native format', () => {
  const rows = Array.from({ length: 3_000 }, (_, i) => ({
    ...PLAIN,
    ident: `a"[{,\\${i}`,
    wheels: [{ left: [1, 2], right: 'ş],' }],
  }))
  const lines = rows.map((each) => JSON.stringify(each))

  it('has the same rows as an array or as NDJSON', async () => {
    const expected = rows.map((each) => row(each))
    assert.ok(lines.join().length > 4 * SLICE_BYTES)
    assert.deepEqual(await readAny(JSON.stringify(rows)), expected)
    assert.deepEqual(await readAny(JSON.stringify(rows, null, 2)), expected)
    assert.deepEqual(await readAny(lines.join('\n')), expected)
  })

  it('yields to other tasks between its slices', async () => {
    let turns = 0
    const isRead = Promise.resolve(readAny(JSON.stringify(rows))).then(() => true)
    const turn = () => new Promise<false>((resolve) => setImmediate(() => resolve(false)))
    while (!(await Promise.race([isRead, turn()]))) turns += 1
    assert.ok(turns >= 4, `${turns}`)
  })

  it('is rejected as a whole if an array is broken anywhere', async () => {
    const array = `[${lines.join()}`
    const first = array.indexOf(',{"ident"', SLICE_BYTES)
    const broken = [
      array,
      `${array},]`,
      `${array}]]`,
      `${array}}`,
      `${array.slice(0, first)},${array.slice(first)}]`,
      `${array.slice(0, first)}]${array.slice(first)}]`,
      `${array.slice(0, -1)}]`,
      `${array.slice(0, first)},]`,
    ]
    for (const body of broken) {
      const refusal = await readAny(body)
      assert.ok('status' in refusal && refusal.status === 400, body.slice(-50))
      assert.match(refusal.message, /must be JSON/)
    }
  })

  it('has rows no longer than a slice', async () => {
    const long = { ...PLAIN, address: 'x'.repeat(2 * SLICE_BYTES) }
    const refusal = await readAny(JSON.stringify([PLAIN, long, PLAIN]))
    assert.ok('status' in refusal && refusal.status === 400 && /65536 bytes/.test(refusal.message))
    const read = await readAny([PLAIN, long, PLAIN].map((each) => JSON.stringify(each)).join('\n'))
    assert.ok(Array.isArray(read))
    assert.deepEqual(
      read.map((each) => ('reason' in each ? each.reason : each.ident)),
      ['a1', 'bad_row', 'a1'],
    )
  })

  it('has at most as many rows as a short one', async () => {
    const many = new Array(MAX_ROWS + 1).fill({ ...PLAIN, address: 'x'.repeat(50) })
    assert.equal(await readAny(JSON.stringify(many)), tooManyRows)
    assert.equal(await readAny(many.map((each) => JSON.stringify(each)).join('\n')), tooManyRows)
  })
})
