import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet()
const folder = temporaryFolder()

const polygon = (...ring: number[][]) => ({ type: 'Polygon', coordinates: [ring] })
const WEST = [
  [179.99, -16.8],
  [180, -16.8],
  [180, -16.82],
  [179.99, -16.82],
  [179.99, -16.8],
]
const EAST = [
  [-180, -16.8],
  [-179.99, -16.8],
  [-179.99, -16.82],
  [-180, -16.82],
  [-180, -16.8],
]
const TAVEUNI = [
  [179.99, -16.8],
  [-179.99, -16.8],
  [-179.99, -16.82],
  [179.99, -16.82],
  [179.99, -16.8],
]
/** tidwall/tile38#650. */
const LANDSAT = [
  [-178.785, -80.929],
  [-177.567, -82.68],
  [169.654, -82.68],
  [170.873, -80.929],
  [-178.785, -80.929],
]
const ANTARCTIC = [
  [0, -70],
  [-120, -71],
  [120, -70],
  [0, -70],
]
const GEOFENCES: [name: string, geometry: Json, stored: number[][]][] = [
  ['short way', polygon(...TAVEUNI), TAVEUNI],
  ['drawn on', polygon(...TAVEUNI.map(([x, y]) => [x! < 0 ? x! + 360 : x!, y!])), TAVEUNI],
  ['split', { type: 'MultiPolygon', coordinates: [[WEST], [EAST]] }, TAVEUNI],
  ['landsat', polygon(...LANDSAT), LANDSAT],
  ['pole', polygon(...ANTARCTIC), ANTARCTIC],
]
const LINE = [
  [170, 45],
  [-170, 45],
]
/** The example of RFC 7946, 3.1.9. */
const CUT = [
  [
    [170, 45],
    [180, 45],
  ],
  [
    [-180, 45],
    [-170, 45],
  ],
]
const ROUTES: [name: string, geometry: Json, stored: number[][][]][] = [
  ['line', { type: 'LineString', coordinates: LINE }, [LINE]],
  ['cut', { type: 'MultiLineString', coordinates: CUT }, [LINE]],
]

describe('Places across the antimeridian', async () => {
  const organization = fleet.take()

  async function imported(kind: string, places: readonly (readonly [string, Json, unknown])[]) {
    const features = places.map(([name, geometry]) => ({
      type: 'Feature',
      properties: { name },
      geometry,
    }))
    return importedText(kind, JSON.stringify({ type: 'FeatureCollection', features }))
  }

  function importedText(kind: string, text: string): Promise<Json> {
    const file = join(folder, `${kind}.geojson`)
    writeFileSync(file, text)
    return fleet.json('import', kind, '--org', String(organization.id), file)
  }

  for (const [kind, places, cut] of [
    ['geofences', GEOFENCES, { type: 'MultiPolygon', coordinates: [[WEST], [EAST]] }],
    ['routes', ROUTES, { type: 'MultiLineString', coordinates: CUT }],
  ] as const) {
    it(`are ${kind} that are joined when they come in, and cut when they go out`, async () => {
      const {
        files: [summary],
      } = await imported(kind, places)
      assert.equal(summary.created, places.length, JSON.stringify(summary))
      const rows = resultOf(await organization.get(`/${kind}`)) as Json[]
      const named = (name: string) => rows.find((row) => row.name === name)
      for (const [name, , stored] of places) {
        assert.deepEqual(named(name).coordinates, stored, name)
      }
      const answer = await organization.get(`/${kind}?format=geojson`)
      const { features } = answer.json as Json
      const own = features.filter(({ properties }: Json) =>
        places.some(([name]) => name === properties.name),
      )
      assert.deepEqual(own[0].geometry, cut)
      for (const longitudes of own.flatMap(({ geometry }: Json) => edgesOf(geometry.coordinates))) {
        assert.ok(Math.abs(longitudes[0] - longitudes[1]) <= 180 || isPolar(longitudes))
      }
      const {
        files: [again],
      } = await importedText(kind, answer.text)
      assert.equal(again.duplicate, features.length, JSON.stringify(again))
    })
  }
})

describe('A position on the antimeridian', async () => {
  const own = await senderOf(fleet, fleet.take(), '--create-objects')
  const time_device = new Date().toISOString()
  await own.post([
    { ident: 'east', time_device, latitude: 1, longitude: 180 },
    { ident: 'west', time_device, latitude: 1, longitude: -180 },
  ])

  it('is in each box that reaches it', async () => {
    for (const box of ['179,0,180,2', '-180,0,-179,2', '180,0,-170,2', '170,0,-180,2']) {
      const rows = resultOf(await own.get(`/positions/latest?bbox=${box}`)) as Json[]
      assert.deepEqual(rows.map(({ ident }) => ident).sort(), ['east', 'west'], box)
    }
  })
})

describe('A place next to the zeroth meridian', async () => {
  const own = await senderOf(fleet, fleet.take(), '--create-objects')
  const time_device = new Date().toISOString()
  const range = `from_time=${time_device}&to_time=${time_device}`
  await own.post([{ ident: 'zero', time_device, latitude: -0.0000001, longitude: 0.0000002 }])
  const file = join(folder, 'zero.csv')
  writeFileSync(file, 'name,latitude,longitude,radius\nZero,-0.0000001,0.0000002,0.000000125\n')
  await fleet.json('import', 'sites', '--org', String(own.id), file)
  const objects = resultOf(await own.get('/objects')) as Json[]
  const { id } = objects.find(({ ident }) => ident === 'zero')

  for (const path of [
    `/objects/${id}`,
    `/objects/${id}/positions?${range}`,
    `/positions/latest?ids=${id}`,
    `/stops?ids=${id}&${range}`,
    `/visits?ids=${id}&${range}`,
    '/sites',
  ]) {
    it(`has no number with an exponent in ${path.split('?')[0]!.replace(`${id}`, '{id}')}`, async () => {
      const isMap = !path.endsWith(`${id}`)
      const formats = isMap ? ['json', 'ndjson', 'csv', 'geojson'] : ['json']
      for (const format of formats) {
        const { status, text } = await own.get(
          isMap ? `${path}${path.includes('?') ? '&' : '?'}format=${format}` : path,
        )
        assert.equal(status, 200, text)
        assert.doesNotMatch(text, /\de-/)
        const isPlain = format === 'geojson' || !path.startsWith('/visits')
        if (isPlain) assert.match(text, /-0\.0000001\b/)
      }
    })
  }
})

/** The longitudes of neighboring positions. */
function edgesOf(coordinates: Json): [number, number, number][] {
  if (typeof coordinates[0]?.[0] !== 'number') return coordinates.flatMap(edgesOf)
  return coordinates
    .slice(1)
    .map(([x, y]: number[], i: number) => [coordinates[i][0], x, y] as [number, number, number])
}

function isPolar([, , latitude]: readonly [number, number, number]): boolean {
  return Math.abs(latitude) === 90
}
