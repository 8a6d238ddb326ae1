import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { Position } from '../types.ts'
import { type CsvForm, type FormatName, formatOf } from './formats.ts'

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a,b', '"', 'x\ny', '\r\n', ''),
)
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value)
const time = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z') })
  .map((date) => date.toISOString())

const position: fc.Arbitrary<Position> = fc.record({
  ...{ id: fc.nat(), ident: text, name: text, latitude: number, longitude: number },
  ...{ altitude: orNull(number), angle: orNull(number), speed: orNull(number) },
  ...{ time_server: time, time_device: time, engine_hours: orNull(number) },
  ...{ odometer: orNull(number), mileage: orNull(number), address: orNull(text) },
})
type Json = { name: string }
type Ident = { ident: string }
const positions = fc.array(position, { maxLength: 20 })

function written(name: FormatName, rows: Position[], form: CsvForm = 'guarded'): string {
  const { head, row, tail } = formatOf(name, form)
  return head + rows.map((each, i) => row(each, i === 0)).join('') + tail
}

describe('Positions in a file', () => {
  it('are the API’s own rows in NDJSON, one a line', () => {
    fc.assert(
      fc.property(positions, (rows) => {
        const lines = written('ndjson', rows).split('\n')
        assert.equal(lines.pop(), '')
        assert.deepEqual(
          lines.map((line) => JSON.parse(line)),
          JSON.parse(JSON.stringify(rows)),
        )
      }),
    )
  })

  it('are read by others as CSV, every field of them as it is where that is asked for', () => {
    fc.assert(
      fc.property(positions, (rows) => {
        const read: Record<string, string>[] = parse(written('csv', rows, 'raw'), {
          columns: true,
          record_delimiter: '\n',
        })
        const expected = rows.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)]),
          ),
        )
        assert.deepEqual(
          read.map((row) => ({ ...row })),
          expected,
        )
      }),
    )
  })

  it('have no text in CSV that begins a formula, whatever separates cells there', () => {
    const sign = fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠')
    const start = fc.constantFrom('', ';', '|', '\t', '\n', '\r', '"', ' ', '\u200b', 'x')
    const nasty = fc.array(fc.oneof(start, sign), { maxLength: 12 }).map((parts) => parts.join(''))
    const named = fc.tuple(position, nasty).map(([each, name]) => ({ ...each, name }))
    fc.assert(
      fc.property(fc.array(named, { maxLength: 5 }), (rows) => {
        const text = written('csv', rows)
        for (const { name } of parse(text, { columns: true, record_delimiter: '\n' }) as Json[]) {
          assert.doesNotMatch(name, /^["\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r]/u)
        }
        // A reader with another separator, to whom the quotes of RFC 4180 mean nothing.
        for (const cell of text.split(/[;|\t\r\n]/).slice(1)) {
          assert.doesNotMatch(cell, /^["\s\p{C}]*[=+\-@＝＋－＠]/u)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('have no formula in CSV in place of a time or a number', () => {
    const [row] = fc.sample(position, 1)
    const formula = '=HYPERLINK("https://evil.example")'
    const columns = ['time_server', 'time_device', 'latitude', 'mileage'] as const
    for (const form of ['guarded', 'excel'] as const) {
      const hostile = Object.fromEntries(columns.map((column) => [column, formula]))
      const csv = written('csv', [{ ...row!, ...hostile }], form)
      const [read] = parse(csv, { columns: true, bom: true, record_delimiter: '\n' }) as Json[]
      for (const column of columns) {
        assert.equal((read as Record<string, string>)[column], `'${formula}`, `${form} ${column}`)
      }
    }
  })

  it('have idents and names for Excel that it does not take for numbers, and its mark before them', () => {
    const [row] = fc.sample(position, 1)
    const cellsOf = (...texts: string[]) => {
      const csv = written(
        'csv',
        texts.map((ident) => ({ ...row!, ident })),
        'excel',
      )
      assert.ok(csv.startsWith('\u{feff}id,ident,'))
      const read = parse(csv, { columns: true, bom: true, record_delimiter: '\n' }) as Ident[]
      return read.map(({ ident }) => ident)
    }
    const digits = ['864301042977204', '007', '1E5', '12-03', 'MAR1', '+34600', '-5']
    assert.deepEqual(
      cellsOf(...digits),
      digits.map((each) => `="${each}"`),
    )
    assert.deepEqual(cellsOf('Van Ö 12', 'Kamyon', ''), ['Van Ö 12', 'Kamyon', ''])
    assert.deepEqual(cellsOf('=1+1', '-1"', 'x;=1', '@a,1'), ["'=1+1", '\'-1"', "x;'=1", "'@a,1"])
    assert.ok(written('csv', [row!], 'excel').includes(`,${row!.time_device},`))
  })

  it('have no formula for Excel but such a text, whatever separates cells there', () => {
    const parts = fc.constantFrom('=', '-', '+', '"', ';', '\t', '|', ',', '1', 'E', '(', '!', ' ')
    const nasty = fc.array(parts, { maxLength: 12 }).map((each) => each.join(''))
    fc.assert(
      fc.property(fc.tuple(position, nasty), ([each, ident]) => {
        const rest = { name: 'x', address: null }
        const line = formatOf('csv', 'excel').row({ ...each, ident, ...rest }, true)
        for (const cell of line.split(/[;|\t\r\n]/)) assert.doesNotMatch(cell, /^["\s]*[=+\-@]/)
        const [read] = parse(line, { record_delimiter: '\n' }) as string[][]
        assert.match(read![1]!, /^(="[\w.:/+-]+"|["\s]*[^=+\-@"\s][\s\S]*|["\s]*)$/)
      }),
      { numRuns: 500 },
    )
  })

  it('are a FeatureCollection of points in GeoJSON, and nothing of them is missing', () => {
    fc.assert(
      fc.property(positions, (rows) => {
        const collection = JSON.parse(written('geojson', rows))
        assert.deepEqual(
          [collection.type, collection.features.length],
          ['FeatureCollection', rows.length],
        )
        const back = collection.features.map(
          // biome-ignore lint/suspicious/noExplicitAny: it is parsed
          ({ type, geometry, properties }: any) => {
            assert.deepEqual([type, geometry.type], ['Feature', 'Point'])
            const [longitude, latitude] = geometry.coordinates
            return { ...properties, latitude, longitude }
          },
        )
        assert.deepEqual(back, JSON.parse(JSON.stringify(rows)))
      }),
    )
  })
})
