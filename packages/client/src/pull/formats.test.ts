import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { Position } from '../types.ts'
import { FORMATS, type FormatName } from './formats.ts'

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
const positions = fc.array(position, { maxLength: 20 })

function written(name: FormatName, rows: Position[]): string {
  const { head, row, tail } = FORMATS[name]
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

  it('are read by others as CSV, every field of them', () => {
    fc.assert(
      fc.property(positions, (rows) => {
        const read: Record<string, string>[] = parse(written('csv', rows), {
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
