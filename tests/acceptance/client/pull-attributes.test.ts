import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { Fleetgate } from '../../../packages/client/src/index.ts'
import { NAMES, refrigerated } from '../attributes/attributes-fleet.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { linesOf } from './pulled-files.ts'

const DAY = 'positions/2026-05-04'
const TYPES = { number: 'DOUBLE', boolean: 'BOOLEAN', text: 'BYTE_ARRAY' }
const { runHere } = await commandLine()
const folder = temporaryFolder()
const fleet = await startFleet()

describe('A copy with attributes', async () => {
  const own = await refrigerated(fleet)
  const { van } = own
  const client = new Fleetgate({ baseUrl: fleet.server.api, apiKey: own.key })
  const pull = async (format: string, ...more: string[]) => {
    const out = mkdtempSync(join(folder, 'out-'))
    await pullInto(out, '--format', format, ...more)
    return out
  }
  const pullInto = async (out: string, ...more: string[]) => {
    await own.time.pass(10_000)
    const args = ['--url', fleet.server.api, '--api-key', own.key, '--out', out, ...more]
    const { code, stderr } = await runHere(['pull', ...args])
    assert.deepEqual([code, stderr], [0, ''])
  }
  const read = async (path: string) => {
    const answer = await own.get(path)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const history = `/objects/${van}/positions?${RANGE}&include=attributes`
  const rows: Json[] = resultOf(await read(history))
  const catalogue: Json[] = resultOf(await read('/attributes'))
  const ofVan = (each: { id: unknown }) => Number(each.id) === van

  it('has the rows of the API in NDJSON', async () => {
    const out = await pull('ndjson', '--attributes', 'all')
    assert.deepEqual(linesOf(out, `${DAY}.ndjson`), rows)
    const detail = resultOf(await read(`/objects/${van}?include=attributes`))
    assert.deepEqual(linesOf(out, 'objects.ndjson').find(ofVan), detail)
    assert.deepEqual(Object.keys(detail.attributes), NAMES)
  })

  it('has the columns of the API in CSV, and its properties in GeoJSON', async () => {
    const [csv, geojson] = [
      await pull('csv', '--raw', '--attributes', 'all'),
      await pull('geojson', '--attributes', 'all'),
    ]
    const text = (name: string) => readFileSync(join(csv, `${name}.csv`), 'utf8')
    assert.deepEqual(parse(text(DAY)), parse((await read(`${history}&format=csv`)).text))
    const latest = `/positions/latest?ids=${van}&include=attributes&format=csv`
    const [head, line] = parse((await read(latest)).text) as string[][]
    const [columns, ...objects] = parse(text('objects')) as string[][]
    const object = objects.find(([id]) => Number(id) === van)!
    assert.deepEqual(columns!.slice(-8), head!.slice(-8))
    assert.deepEqual(object.slice(-8), line!.slice(-8))
    const { features } = JSON.parse(readFileSync(join(geojson, `${DAY}.geojson`), 'utf8'))
    const ofApi = JSON.parse((await read(`${history}&format=geojson`)).text)
    assert.deepEqual(features, ofApi.features)
  })

  it('has the workbook of the API in xlsx, in its time zone', async () => {
    const zone = 'Europe/Berlin'
    const out = await pull('xlsx', '--excel', '--tz', zone, '--attributes', 'all')
    const sheetOf = async (bytes: Uint8Array) => (await readXlsx(bytes)).sheets[0]!
    const { bytes } = await read(`${history}&format=xlsx&tz=${zone}`)
    const [mine, ofApi] = await Promise.all(
      [readFileSync(join(out, `${DAY}.xlsx`)), bytes].map(sheetOf),
    )
    assert.deepEqual(mine!.rows, ofApi!.rows)
    assert.equal(mine!.rows.length, rows.length + 1)
    assert.equal(mine!.name, DAY.slice(-10))
    const [head, ...objects] = (await sheetOf(readFileSync(join(out, 'objects.xlsx')))).rows
    const object = objects.find(([id]) => ofVan({ id }))!
    const at = object[head!.indexOf('temperature__at')]
    assert.ok(at instanceof Date, JSON.stringify([head, object]))
  })

  it('has typed columns in Parquet, and none without the option', async () => {
    const [all, plain] = [await pull('parquet', '--attributes', 'all'), await pull('parquet')]
    const open = async (out: string, name: string) => {
      const file = await asyncBufferFromFile(join(out, `${name}.parquet`))
      const { schema } = await parquetMetadataAsync(file)
      const read = await parquetReadObjects({ file, compressors: { ZSTD: unzstd } })
      return { types: new Map(schema.slice(1).map(({ name, type }) => [name, type])), read }
    }
    const positions = await open(all, DAY)
    for (const { name, type } of catalogue) {
      assert.equal(positions.types.get(name), TYPES[type as keyof typeof TYPES], name)
    }
    assert.deepEqual(
      positions.read.map((row) => NAMES.map((name) => row[name])),
      rows.map(({ attributes }) => NAMES.map((name) => attributes[name] ?? null)),
    )
    const { read } = await open(all, 'objects')
    const detail = resultOf(await own.get(`/objects/${van}?include=attributes`))
    const object = read.find((each) => ofVan(each as { id: unknown }))!
    for (const name of NAMES) {
      assert.equal(object[name], detail.attributes[name])
      assert.deepEqual(object[`${name}__at`], new Date(detail.attributes_at[name]))
    }
    const { types } = await open(plain, DAY)
    const { attributes: _, ...fields } = rows[0]!
    assert.deepEqual([...types.keys()], Object.keys(fields))
  })

  it('has the selected ones, and follows their catalogue', async () => {
    const out = await pull('csv', '--attributes', 'temperature,door')
    const read = () => parse(readFileSync(join(out, `${DAY}.csv`)), { columns: true }) as Json[]
    assert.deepEqual(Object.keys(read()[0]!).slice(-2), ['door', 'temperature'])
    const before = read().map(({ temperature }) => Number(temperature))
    const scaled = ['temperature', '--org', String(own.id), '--scale', '0.2']
    await fleet.run('attributes', 'set', ...scaled)
    await pullInto(out, '--format', 'csv', '--attributes', 'temperature,door')
    assert.deepEqual(
      read().map(({ temperature }) => Number(temperature)),
      before.map((tenths) => tenths * 2),
    )
    await fleet.run('attributes', 'set', ...scaled.with(-1, '0.1'))
  })

  it('is a replica that answers as the API does', async () => {
    await own.time.pass(10_000)
    for (const attributes of ['all', ['driver', 'temperature']] as const) {
      const replica = client.replica({ positions: true, attributes })
      await replica.sync()
      const day = { from: '2026-05-04', to: '2026-05-04' }
      assert.deepEqual(
        await Array.fromAsync(replica.positions.history(van, day)),
        await Array.fromAsync(client.positions.history(van, { ...day, attributes })),
      )
      assert.deepEqual(
        await replica.objects.get(van),
        await client.objects.get(van, { attributes }),
      )
      assert.deepEqual(
        await replica.positions.latest([van]),
        await client.positions.latest([van], { attributes }),
      )
    }
  })
})

const unzstd = (input: Uint8Array, _length: number) => zstdDecompressSync(input)
