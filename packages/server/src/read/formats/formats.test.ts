import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { anyFleetObject, anyPosition, type Position } from '../../../testing/any-fleet-object.ts'
import { SENT } from '../../base/domain/position/field-lists.ts'
import { packFix } from '../../base/domain/position/fix-record.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import {
  allRows,
  columnsOfRecords,
  type PositionColumns,
} from '../../base/domain/position/position-columns.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import { encodeUnseenRow, positionRowEncoder } from '../encode/position-rows.ts'
import { type Format, type PositionLayout, positionForm } from './formats.ts'
import {
  type Columns,
  EXACT_FIELDS,
  namesOf,
  OWN_COLUMNS,
  QUALITY_FIELDS,
  trackOf,
} from './position-format.ts'
import { kmlTrack } from './xml.ts'

type Json = Record<string, string | number | boolean | null>

const COLUMNS = [
  { hasQuality: false, isExact: false, attributes: null },
  { hasQuality: true, isExact: true, attributes: null },
]
const drives = fc.array(anyPosition, { maxLength: 8 })
const columns = fc.constantFrom(...COLUMNS)

/** An answer with the rows of one object. `isUnseen`: without a position. */
function bodyOf(
  format: Format,
  fleetObject: FleetObject,
  drive: Position[] | 'unseen',
  asked: Columns = OWN_COLUMNS,
  layout: PositionLayout = 'tracks',
): string {
  const form = positionForm(format, layout, asked)
  const { name } = fleetObject.object
  const rows =
    drive === 'unseen'
      ? encodeUnseenRow({ ...fleetObject, state: UNSEEN }, 'mi', form)
      : positionRowEncoder(fleetObject, 'mi', { form })(columnsIn(drive))
  const track = trackOf(form, name)
  const pieces = drive === 'unseen' ? [] : [...track.add(allRows(columnsIn(drive))), ...track.end()]
  const body = [form.head, form.openObject(name), rows, ...pieces, form.closeObject, form.tail]
  return body.join('')
}

function columnsIn(drive: Position[]): PositionColumns {
  const records = drive.map(({ fix, counters, motion = null, isLate = false }) =>
    packFix(fix, counters, { motion, isLate }),
  )
  return columnsOfRecords(Buffer.concat(records))
}

/** The rows in JSON, which `position-rows.test.ts` compares with plain ones. The exact counters are flat. */
function rowsOf(
  fleetObject: FleetObject,
  drive: Position[] | 'unseen',
  asked: Columns = OWN_COLUMNS,
): Json[] {
  const { result } = JSON.parse(bodyOf('json', fleetObject, drive, asked))
  return result.map(({ exact, ...row }: Json & { exact?: object }) => ({ ...row, ...exact }))
}

/** Characters that XML 1.0 forbids, and halves of surrogate pairs. */
const NOT_XML = /[\p{Cs}\ufffe\uffff]|(?![\t\n\r\u007f-\u009f])\p{Cc}/gu
const inXml = (value: unknown) => String(value).replaceAll(NOT_XML, '\ufffd')

type Element = { name: string; attributes: Record<string, string>; text: string; parent: string }

/** The elements in the order of their ends. Throws if the XML is not well-formed. */
function elementsOf(xml: string): Element[] {
  const ended: Element[] = []
  const open: Element[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const parent = open.at(-1)?.name ?? ''
    open.push({ name, attributes: attributes as Record<string, string>, text: '', parent })
  })
  parser.on('text', (text) => {
    const last = open.at(-1)
    if (last !== undefined) last.text += text
  })
  parser.on('closetag', () => ended.push(open.pop()!))
  parser.write(xml).close()
  return ended
}

const textsOf = (elements: Element[], name: string, parent: string) =>
  elements.filter((each) => each.name === name && each.parent === parent).map(({ text }) => text)

describe('Rows of positions', () => {
  it('in NDJSON are those of JSON, one a line', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, columns, (fleetObject, drive, asked) => {
        const lines = bodyOf('ndjson', fleetObject, drive, asked).split('\n')
        assert.equal(lines.pop(), '')
        const json = `{"statusCode":200,"result":[${lines.join()}]}`
        assert.equal(json, bodyOf('json', fleetObject, drive, asked))
      }),
    )
  })

  it('in CSV have the texts and numbers of JSON, and empty cells for nulls', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, columns, (fleetObject, drive, asked) => {
        const text = bodyOf('csv', fleetObject, drive, asked)
        const [header, ...cells] = cellsOf(text)
        assert.deepEqual(
          header?.map(({ value }) => value),
          namesOf(asked),
        )
        const rows = rowsOf(fleetObject, drive, asked)
        assert.equal(cells.length, rows.length)
        for (const [i, row] of rows.entries()) {
          for (const [column, name] of namesOf(asked).entries()) {
            const { value, isQuoted } = cells[i]![column]!
            const expected = row[name] ?? null
            if (value === '') assert.equal(expected, isQuoted ? '' : null, name)
            else if (typeof expected === 'number') assert.equal(Number(value), expected, name)
            else assert.equal(value, wellFormed(expected), name)
          }
        }
      }),
    )
  })

  it('in GeoJSON have a point, and the other fields as properties', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, columns, (fleetObject, drive, asked) => {
        const { features } = JSON.parse(bodyOf('geojson', fleetObject, drive, asked))
        const expected = rowsOf(fleetObject, drive, asked).map((row) => {
          const { latitude, longitude, ...properties } = row
          return { geometry: { type: 'Point', coordinates: [longitude, latitude] }, properties }
        })
        const flat = features.map(({ geometry, properties }: Json & { properties: Json }) => {
          const { exact, ...own } = properties
          return { geometry, properties: { ...own, ...(exact as unknown as object) } }
        })
        assert.deepEqual(flat, expected)
      }),
    )
  })

  it('in GPX are points of a track', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, (fleetObject, drive) => {
        const elements = elementsOf(bodyOf('gpx', fleetObject, drive))
        const rows = rowsOf(fleetObject, drive)
        const points = elements.filter(({ name }) => name === 'trkpt')
        assert.deepEqual(
          points.map(({ attributes: { lat, lon } }) => [Number(lat), Number(lon)]),
          rows.map(({ latitude, longitude }) => [latitude, longitude]),
        )
        assert.deepEqual(
          textsOf(elements, 'time', 'trkpt'),
          rows.map((row) => row.time_device),
        )
        assert.deepEqual(
          textsOf(elements, 'desc', 'trkpt'),
          rows.flatMap(({ address }) => (address === null ? [] : [inXml(address)])),
        )
        assert.deepEqual(textsOf(elements, 'name', 'trk'), [inXml(fleetObject.object.name)])
        const speeds = drive.flatMap(({ fix: { speed } }) => (speed === null ? [] : [speed / 3.6]))
        const written = textsOf(elements, 'gpxtpx:speed', 'gpxtpx:TrackPointExtension').map(Number)
        assert.equal(written.length, speeds.length)
        for (const [i, speed] of speeds.entries())
          assert.ok(Math.abs(speed - written[i]!) < 0.00501)
      }),
    )
  })

  it('in KML are placemarks with all other fields', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, columns, (fleetObject, drive, asked) => {
        const elements = elementsOf(bodyOf('kml', fleetObject, drive, asked))
        const rows = rowsOf(fleetObject, drive, asked)
        assert.deepEqual(
          textsOf(elements, 'coordinates', 'Point').map((text) => text.split(',').map(Number)),
          rows.map(({ latitude, longitude }) => [longitude, latitude]),
        )
        const values = rows.flatMap(({ name, latitude, longitude, ...row }) =>
          Object.entries(row).filter(([, value]) => value !== null),
        )
        assert.deepEqual(
          elements.filter(({ name }) => name === 'Data').map(({ attributes }) => attributes.name),
          values.map(([name]) => name),
        )
        const written = textsOf(elements, 'value', 'Data')
        for (const [i, [, value]] of values.entries()) {
          const text = written[i]!
          if (typeof value === 'number') assert.equal(Number(text), value)
          else assert.equal(text, inXml(value))
        }
      }),
    )
  })

  it('in KML end with a track, whose times precede its places', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, (fleetObject, drive) => {
        const { name } = fleetObject.object
        const elements = elementsOf(bodyOf('kml', fleetObject, drive))
        const inTrack = elements.filter(({ parent }) => parent === 'gx:Track')
        const rows = rowsOf(fleetObject, drive)
        assert.deepEqual(
          inTrack.map((each) => [each.name, each.text.split(' ')]),
          [
            ...rows.map((row) => ['when', [row.time_device]]),
            ...rows.map(({ longitude, latitude, altitude }) => [
              'gx:coord',
              [longitude, latitude, ...(altitude === null ? [] : [altitude])].map(inCoordinate),
            ]),
          ],
        )
        const placemarks = textsOf(elements, 'name', 'Placemark')
        assert.deepEqual(
          placemarks,
          Array(drive.length + Number(drive.length > 0)).fill(inXml(name)),
        )
      }),
    )
  })

  it('in KML are several tracks if they are many', () => {
    fc.assert(
      fc.property(drives, fc.integer({ min: 1, max: 4 }), (drive, most) => {
        const track = kmlTrack('A', most)
        const rows = allRows(columnsIn(drive))
        const text = [...track.add(rows), ...track.add(rows), ...track.end()].join('')
        const counts = text
          .split('</gx:Track></Placemark>\n')
          .slice(0, -1)
          .map((one) => [one.split('<when>').length - 1, one.split('<gx:coord>').length - 1])
        const all = drive.length * 2
        const expected = Array.from({ length: Math.ceil(all / most) }, (_, i) =>
          Math.min(most, all - i * most),
        )
        assert.deepEqual(
          counts,
          expected.map((count) => [count, count]),
        )
      }),
    )
  })

  it('tell with quality how each position was measured', () => {
    fc.assert(
      fc.property(anyFleetObject, drives, (fleetObject, drive) => {
        const rows = rowsOf(fleetObject, drive, {
          hasQuality: true,
          isExact: false,
          attributes: null,
        })
        const own = fleetObject.state.address?.value ?? fleetObject.object.address
        for (const [i, { fix, motion, isLate }] of drive.entries()) {
          const lacking = own === null ? null : 'last_known'
          const values: Json = {
            ...Object.fromEntries(SENT.map(({ name, key }) => [name, fix[key]])),
            ...{ ignition: fix.ignition, motion, corrected: fix.corrected, late: isLate },
            address_source: fix.address === null ? lacking : 'own',
          }
          assert.deepEqual(
            Object.entries(rows[i]!).slice(14),
            QUALITY_FIELDS.map((name) => [name, values[name]]),
          )
        }
      }),
    )
  })

  it('are null, without geometry or absent for an object without a position', () => {
    fc.assert(
      fc.property(anyFleetObject, columns, (fleetObject, asked) => {
        const [row] = rowsOf(fleetObject, 'unseen', asked)
        assert.equal(row!.latitude, null)
        for (const name of asked.isExact ? EXACT_FIELDS : []) assert.equal(row![name], null)
        const { features } = JSON.parse(bodyOf('geojson', fleetObject, 'unseen', asked))
        assert.equal(features[0].geometry, null)
        assert.equal(features[0].properties.id, row!.id)
        const [, cells] = cellsOf(bodyOf('csv', fleetObject, 'unseen', asked))
        assert.deepEqual(
          cells!.map(({ value }) => value).slice(3, 10),
          Array.from({ length: 7 }, () => ''),
        )
        for (const format of ['gpx', 'kml'] as const) {
          const xml = bodyOf(format, fleetObject, 'unseen', asked, 'points')
          assert.deepEqual(textsOf(elementsOf(xml), 'name', 'wpt'), [])
          assert.ok(!xml.includes('<Placemark>') && !xml.includes('<wpt'))
        }
      }),
    )
  })
})

/** A number with at most 7 decimals, and no exponent. */
const inCoordinate = (value: Json[string] | undefined) => {
  const text = Number(value).toFixed(7)
  return text.replace(/\.?0+$/, '')
}

type CsvCell = { value: string; isQuoted: boolean }

function cellsOf(text: string): CsvCell[][] {
  assert.ok(text.endsWith('\r\n'))
  return parse(text, {
    bom: false,
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => ({ value, isQuoted: quoting }),
  }) as unknown as CsvCell[][]
}

/** UTF-8 has no halves of surrogate pairs. */
function wellFormed(value: Json[string]): string {
  return String(value).toWellFormed()
}
