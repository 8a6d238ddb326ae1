import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { Position } from '../types.ts'
import { type FormatName, formatOf } from './formats.ts'

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a,b', '"', 'x\ny', '\r\n', ''),
)
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value)
const time = fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString())

const position: fc.Arbitrary<Position> = fc.record({
  ...{ id: fc.nat(), ident: text, name: text, latitude: number, longitude: number },
  ...{ altitude: orNull(number), angle: orNull(number), speed: orNull(number) },
  ...{ time_server: time, time_device: time, engine_hours: orNull(number) },
  ...{ odometer: orNull(number), mileage: orNull(number), address: orNull(text) },
})
type Json = { name: string }
const positions = fc.array(position, { maxLength: 20 })

function written(name: FormatName, rows: Position[], isRaw = false): string {
  const { head, row, tail } = formatOf(name, isRaw)
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
        const read: Record<string, string>[] = parse(written('csv', rows, true), {
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
