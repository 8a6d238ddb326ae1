import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import type { Sender } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { RANGE, sentDrives } from '../trips/records-fleet.ts'
import { linesOf } from './pulled-files.ts'

const TYPES = ['trips', 'stops', 'visits'] as const
const EVER = 'from_time=2020-01-01&to_time=2027-01-01'
const { runHere } = await commandLine()
const folder = temporaryFolder()
const newOut = () => mkdtempSync(join(folder, 'out-'))
const fleet = await startFleet()

async function pull({ key }: Sender, out: string, ...more: string[]): Promise<Json> {
  const args = ['--url', fleet.server.api, '--api-key', key, '--out', out, '--json', ...more]
  const { code, stdout, stderr } = await runHere(['pull', ...args])
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

const byId = (rows: Json[]) => rows.toSorted((a, b) => a.id - b.id)

describe('fleetgate pull --records', () => {
  it('keeps files of trips, stops and visits right', async () => {
    const own = await sentDrives(fleet, ['P-1', 'P-2'])
    const out = newOut()
    await pull(own, out, '--records')
    const trip = linesOf(out, 'trips.ndjson').find(({ ident }) => ident === 'P-1')!
    const changed = own.get('/changes?from=now&types=trips&wait=20')
    const time_device = new Date(Date.parse(trip.start_time) + 65_000).toISOString()
    await own.post([{ ident: 'P-1', time_device, latitude: 41.001, longitude: 2.0077, speed: 36 }])
    const org = ['--org', String(own.id)]
    await fleet.run('objects', 'update', String(own.ids[1]), '--name', 'Truck', ...org)
    assert.equal(resultOf(await changed).changes[0].trip.id, trip.id)
    const { written } = await pull(own, out, '--records')
    assert.ok(written.includes('trips.ndjson'))
    for (const type of TYPES) {
      const listed = byId(resultOf(await own.get(`/${type}?${EVER}`)))
      assert.ok(listed.some(({ name }) => name === 'Truck'))
      assert.deepEqual(linesOf(out, `${type}.ndjson`), listed, type)
    }
  })

  it('writes the same as CSV, as GeoJSON and as Parquet, and positions too', async () => {
    const own = await sentDrives(fleet, ['P-3'])
    const [csv, geojson, parquet] = [newOut(), newOut(), newOut()]
    await pull(own, csv, '--records', '--format', 'csv')
    await pull(own, geojson, '--records', '--format', 'geojson')
    await pull(own, parquet, '--records', '--format', 'parquet')
    const trips = byId(resultOf(await own.get(`/trips?${EVER}`)))
    const rows = resultOf(await own.get(`/objects/${own.ids[0]}/positions?${RANGE}`))
    const text = (value: unknown) => (value === null ? '' : String(value))
    for (const [name, expected] of [
      ['trips', trips],
      ['positions/2026-05-04', rows],
    ]) {
      assert.deepEqual(
        parse(readFileSync(join(csv, `${name}.csv`), 'utf8'), { columns: true }),
        expected.map((row: Json) =>
          Object.fromEntries(Object.entries(row).map(([field, value]) => [field, text(value)])),
        ),
      )
    }
    const { features } = JSON.parse(readFileSync(join(geojson, 'trips.geojson'), 'utf8'))
    assert.deepEqual(
      features.map(({ properties }: Json) => properties),
      trips,
    )
    const at = trips.findIndex(({ ident }) => ident === 'P-3')
    const { start_longitude, start_latitude, end_longitude, end_latitude } = trips[at]!
    assert.deepEqual(features[at].geometry.coordinates, [
      [start_longitude, start_latitude],
      [end_longitude, end_latitude],
    ])
    const file = await asyncBufferFromFile(join(parquet, 'stops.parquet'))
    const read = await parquetReadObjects({ file, compressors: { ZSTD: unzstd } })
    const stops = byId(resultOf(await own.get(`/stops?${EVER}`)))
    assert.deepEqual(
      read.map(({ id, open, start_time, site_ids }) => [Number(id), open, start_time, site_ids]),
      stops.map(({ id, open, start_time, site_ids }) => [
        ...[id, open, new Date(start_time), JSON.stringify(site_ids)],
      ]),
    )
    const { removed } = await pull(own, csv, '--format', 'csv')
    assert.deepEqual(
      removed,
      [...TYPES, 'levels'].map((type) => `${type}.csv`),
    )
    assert.ok(!existsSync(join(csv, 'trips.csv')))
  })
})

const unzstd = (input: Uint8Array, _length: number) => zstdDecompressSync(input)
