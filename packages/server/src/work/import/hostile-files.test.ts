import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countsOf, importing } from '../../../testing/imports.ts'
import { readKmlRows } from './formats/kml-rows.ts'
import { chunksOf, type Source } from './import-source.ts'
import { POSITION_FIELDS } from './position-row.ts'
import { noRemarks } from './row.ts'
import type { Layout } from './tables/column-mapping.ts'
import { recordReader } from './tables/csv-records.ts'
import { NOTHING_GIVEN } from './tables/notation.ts'

const trial = importing()
const LAYOUT: Layout = {
  fields: POSITION_FIELDS,
  mapping: new Map(),
  given: NOTHING_GIVEN,
  saved: [],
  required: [],
  refuseOtherKind: () => {},
}
const HEADER = 'device_id;timestamp;latitude;longitude;odometer\n'
const rowOf = (time: string, odometer = '') => `B1;${time};48.1;11.5;${odometer}\n`

/** Seconds of processor time. Without bounds the work of each test takes longer. */
const MAX_SECONDS = 3

async function assertShort(work: () => unknown): Promise<void> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  assert.ok((user + system) / 1e6 < MAX_SECONDS, `${(user + system) / 1e6} s`)
}

describe('A hostile file takes a bounded time', () => {
  it('in cells and headings that nearly have a form', async () => {
    const time = `13/04/2025 10:00${' '.repeat(40_000)}x`
    const number = `${'1'.repeat(40_000)}x`
    const heading = `${HEADER.trim()};${','.repeat(20_000)}x y\n`
    const rows = rowOf('13/04/2025 10:00', '1,5') + rowOf(time) + rowOf('14/04/2025 10:00', number)
    await assertShort(async () => {
      const summary = await trial.positions(HEADER + rows.replaceAll('.', ','))
      assert.deepEqual(countsOf(summary, ['accepted']), { accepted: 2, bad_time: 1 })
      assert.match(summary.notes.join(), /odometer counts as unknown in 1 position/)
      await trial.previewPositions(heading)
    })
  })

  it('in quotes that every line opens', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => ({
      ...{ number: at + 1, text: 'x","y', ended: true, tooLong: false },
    }))
    await assertShort(() => {
      const read = recordReader(',')
      const records = [...read(lines, false), ...read([], true)]
      assert.ok(records.filter(({ fault }) => fault?.reason === 'malformed').length > 59_000)
    })
  })

  it('in the members of one object', async () => {
    const members = Array.from({ length: 90_000 }, (_, at) => `"c${at}":1`)
    await assertShort(async () => {
      const { read } = await trial.positions(`{${members}}\n`, { format: 'ndjson' })
      assert.equal(read, 1)
    })
  })

  it('in the corners of a ring that is cut at one place very often', async () => {
    const crossings = '[180,0],[180,0],[1,0],'.repeat(50_000)
    const ring = `[180,0],[180,1],[-180,1],[-180,0],${crossings}[180,0]`
    const feature = `{"type":"Feature","properties":{"name":"Z"},"geometry":{"type":"Polygon","coordinates":[[${ring}]]}}`
    await assertShort(async () => {
      const { rejected } = await trial.catalogue('geofences', feature)
      assert.equal(rejected, 1)
    })
  })
})

describe('A hostile file takes bounded memory', () => {
  it('in tags that are nested very deep', async () => {
    const { stopped } = await trial.positions(`<kml>${'<a>'.repeat(2_000)}`, { format: 'kml' })
    assert.match(stopped!, /in line 1, column \d+: tags are nested deeper than 1000/)
  })

  it('in objects that are nested very deep', async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}\n`
    const good = '{"ident":"B1","time_device":"2025-01-01T00:00:00Z","latitude":1,"longitude":2}\n'
    const summary = await trial.positions(good + deep, { format: 'ndjson' })
    assert.deepEqual(countsOf(summary, ['accepted']), { accepted: 1, malformed: 1 })
  })

  it('in a track, whose rows come in portions', async () => {
    const text = `<kml><Track>${'<when/><coord>1 1</coord>'.repeat(2_500)}</Track></kml>`
    const bytes = chunksOf(Buffer.from(text), text.length)
    const portions: number[] = []
    const source: Source = {
      ...{ name: 'a.kml', size: null, bytes, bytesRead: () => 0, decodedFrom: () => null },
    }
    const units = { speedUnit: null, distance: 1_000 }
    for await (const rows of readKmlRows(source, LAYOUT, units, noRemarks())) {
      portions.push(rows.length)
    }
    assert.deepEqual(portions, [1_000, 1_000, 500])
  })

  it('in a path of one segment, and in records of a quoted text', async () => {
    const path = `{"semanticSegments":[{"startTime":"2025-01-01T00:00:00Z","timelinePath":[0${',0'.repeat(20_000)}]}]}`
    const { reasons } = await trial.positions(path, { format: 'json', ident: 'A1' })
    assert.equal(reasons.malformed!.count, 1)
    const lines = `"${'a'.repeat(1_000_000)}\n${'b'.repeat(1_000_000)}\n"\n`
    const summary = await trial.positions(HEADER + lines)
    assert.ok(summary.reasons.malformed!.count >= 2)
  })
})

it('the names in a file change no other object, and are counted together where they are many', async () => {
  const names = ['__proto__', 'constructor', ...Array.from({ length: 200 }, (_, at) => `k${at}`)]
  const signals = names.map((name) => `{"${name}":1}`).join()
  const { omitted } = await trial.positions(`{"rawSignals":[${signals}]}`, {
    ...{ format: 'json', ident: 'A1' },
  })
  assert.equal(Object.keys(omitted).length, 101)
  assert.equal(Object.getOwnPropertyDescriptor(omitted, '__proto__')!.value.count, 1)
  assert.equal(omitted.other_things!.count, 102)
  assert.equal(Reflect.get({}, 'count'), undefined)
  const heading = 'ident,time,lat,lon,v (constructor)\nA1,2025-01-01T00:00:00Z,1,2,30\n'
  const { rows } = await trial.previewPositions(heading, { map: 'speed=v (constructor)' })
  assert.equal(Reflect.get(rows[0]!.read, 'speed'), 30)
})

describe('A notation that the beginning of a table does not show', () => {
  const many = (row: string) => row.repeat(3_000)

  it('is not guessed for a date that comes later', async () => {
    const later = rowOf('03/04/25 08:00') + rowOf('6 Jan 2025 08:00')
    const summary = await trial.positions(HEADER + many(rowOf('5 Jan 2025 08:00')) + later)
    assert.deepEqual(countsOf(summary, ['accepted']), { accepted: 2, bad_time: 1 })
  })

  it('is not guessed for a number that comes later', async () => {
    const rows = `${many('A1;Van of the depot;999\n')}A2;Car;1.500\nA3;Bus;1.5\n`
    const summary = await trial.catalogue('objects', `ident;name;odometer\n${rows}`, {
      format: 'csv',
    })
    assert.equal(summary.reasons.bad_odometer!.count, 1)
    assert.match(summary.reasons.bad_odometer!.first[0]!.text, /1\.500/)
  })
})

it('a KMZ with a password is refused by that name', async () => {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50)
  header.writeUInt16LE(1, 6)
  header.writeUInt16LE(5, 26)
  const file = Buffer.concat([header, Buffer.from('a.kml')])
  const { stopped } = await trial.positions(file, { format: 'kml', name: 'a.kmz' })
  assert.match(stopped!, /its KML is encrypted/)
})
