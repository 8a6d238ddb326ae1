import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertError, OPERATIONS, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { KINDS, type Kind, RING } from '../harness/listed-kinds.ts'

const { operator, origin } = await startConsole()
const { get, post, patch } = operator

for (const { path, made, left, change, wrong } of KINDS) {
  describe(`An organization's ${path}`, async () => {
    const { id } = await post('/organizations', { name: path })
    const at = `/organizations/${id}/${path}`

    it('are created, shown, updated and deleted one by one', async () => {
      const { id: place, created_at, updated_at, ...rest } = await post(at, made)
      assert.deepEqual(rest, { ...left, ...made })
      assert.equal(created_at, updated_at)
      const one = `${at}/${place}`
      const changed = await patch(one, change)
      assert.deepEqual(
        { ...changed, updated_at: '' },
        { id: place, created_at, updated_at: '', ...left, ...made, ...change },
      )
      assert.deepEqual(await get(one), changed)
      assert.deepEqual((await get(at)).items, [changed])
      for (const [field, value] of wrong) {
        const body = { description: 'changed', [field]: value }
        assertError(await operator.ask('PATCH', one, { body }), 400, 'invalid', field)
      }
      assert.deepEqual(await get(one), changed)
      assertError(await operator.ask('POST', at, { body: made }), 409, 'conflict', 'name')
      const other = await post(at, { ...made, name: 'Another' })
      const taken = { body: { name: made.name } }
      const renamed = await operator.ask('PATCH', `${at}/${other.id}`, taken)
      assertError(renamed, 409, 'conflict', 'name')
      await operator.delete(`${at}/${other.id}`)
      await operator.delete(one)
      assertError(await operator.ask('GET', one), 404, 'not_found')
      assert.deepEqual((await get(at)).items, [])
    })

    const isExported = OPERATIONS.some((each) => each.path.endsWith(`/${path}.geojson`))
    it('are exported as GeoJSON that imports again unchanged, here and into another organization', {
      skip: !isExported && 'no geometry',
    }, async () => {
      const one = await post(at, { ...made, name: 'One' })
      await patch(`${at}/${one.id}`, { description: 'a\nb' })
      await post(at, { ...made, name: 'Two "2", ß' })
      const before = await get(at)
      const answer = await operator.ask('GET', `${at}.geojson`)
      assert.equal(answer.headers['content-type'], 'application/geo+json')
      assert.equal(
        answer.headers['content-disposition'],
        `attachment; filename="${path}-${id}.geojson"`,
      )
      assert.equal(answer.json.features.length, 2)
      const headers = { 'content-type': 'application/geo+json' }
      const options = { body: answer.text, headers }
      const again = await operator.ask('POST', `/organizations/${id}/import/${path}`, options)
      const { read, accepted, duplicate, created, updated } = again.json
      assert.deepEqual([read, accepted + duplicate, created, updated], [2, 2, 0, 0], again.text)
      assert.deepEqual(await get(at), before)
      const { id: other } = await post('/organizations', { name: 'Elsewhere' })
      const there = `/organizations/${other}`
      const moved = await operator.ask('POST', `${there}/import/${path}`, options)
      assert.equal(moved.json.created, 2, moved.text)
      const settings = ({ items }: Json) =>
        items.map(({ id, created_at, updated_at, ...rest }: Json) => rest)
      assert.deepEqual(settings(await get(`${there}/${path}`)), settings(before))
    })
  })
}

describe('The limits of places', () => {
  it('hold for all kinds together, until one is deleted or the limit is raised', async () => {
    const { id } = await post('/organizations', { name: 'Small', max_places: 2 })
    const own = `/organizations/${id}`
    const create = ({ path, made }: Kind, name: string) =>
      operator.ask('POST', `${own}/${path}`, { body: { ...made, name } })
    const [geofences, routes, sites] = KINDS as [Kind, Kind, Kind]
    const first = await create(geofences, 'A')
    assert.equal((await create(sites, 'A')).status, 201)
    const refused = await create(routes, 'A')
    assertError(refused, 409, 'conflict', 'max_places')
    assert.match(refused.json.message, /max_places is 2, and the organization has 2 /)
    await operator.delete(`${own}/geofences/${first.json.id}`)
    assert.equal((await create(routes, 'A')).status, 201)
    await patch(own, { max_places: 3 })
    assert.equal((await create(geofences, 'A')).status, 201)
    const rows = 'name,latitude,longitude\nA,1,2\nB,1,2\n'
    const imported = await operator.ask('POST', `${own}/import/sites?file=sites.csv`, {
      body: rows,
    })
    assert.equal(imported.json.updated, 1)
    assert.equal(imported.json.reasons.limit_of_places.count, 1)
  })

  it('hold for the vertices of a new place, and of a changed one', async () => {
    const { id } = await post('/organizations', { name: 'Few', max_vertices: 9 })
    const at = `/organizations/${id}/geofences`
    const made = await post(at, { name: 'A', coordinates: RING })
    await post(at, { name: 'B', coordinates: RING })
    const refused = await operator.ask('POST', at, { body: { name: 'C', coordinates: RING } })
    assertError(refused, 409, 'conflict', 'max_vertices')
    assert.match(refused.json.message, /max_vertices is 9, and the organization has 8 vertices/)
    const coordinates = [...RING.slice(0, 3), [2.15, 41.45], [2.1, 41.4], [2.1, 41.3]]
    const grown = await operator.ask('PATCH', `${at}/${made.id}`, { body: { coordinates } })
    assertError(grown, 409, 'conflict', 'max_vertices')
    assert.deepEqual(await get(`${at}/${made.id}`), made)
    await patch(`${at}/${made.id}`, { name: 'Renamed' })
  })
})

describe('An import', async () => {
  const { id } = await post('/organizations', { name: 'Imports' })
  const at = `/organizations/${id}`
  const send = (kind: string, body: string | Buffer, type?: string, file = '') => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const query = file === '' ? '' : `?file=${encodeURIComponent(file)}`
    return operator.ask('POST', `${at}/import/${kind}${query}`, { body, headers })
  }
  it('takes places of GPX and KML, by their type or the name of the file', async () => {
    const gpx = '<gpx><wpt lat="1" lon="2"><name>Waypoint</name></wpt><trk/></gpx>'
    const sites = (await send('sites', gpx, undefined, 'places.gpx')).json
    assert.deepEqual([sites.created, sites.omitted.track.count, sites.complete], [1, 1, true])
    const point = '<Placemark><name>Point</name><Point><coordinates>2,1</coordinates></Point>'
    const kml = `<kml>${point}</Placemark></kml>`
    const type = 'application/vnd.google-earth.kml+xml'
    assert.equal((await send('sites', kml, type)).json.created, 1)
    const refused = await send('objects', kml, type)
    assertError(refused, 400, 'invalid', 'file')
    assert.match(refused.json.message, /'import sites' its shapes/)
  })

  const CSV = 'name,ident,plate_number\nVan,v-1,AB 12\nBus,b-1,\nCar,,\n'

  it('reports the result for each CSV row', async () => {
    const { json } = await send('objects', CSV, 'text/csv; charset=utf-8', 'fleet.csv')
    const { file, read, accepted, rejected, created, updated, reasons, stopped } = json
    assert.deepEqual(
      [file, read, accepted, rejected, created, updated],
      ['fleet.csv', 3, 2, 1, 2, 0],
    )
    assert.equal(stopped, null)
    const [[, { count, first }]] = Object.entries<Json>(reasons) as [[string, Json]]
    assert.equal(count, 1)
    assert.equal(first[0].line, 4)
    const again = (await send('objects', CSV, 'text/csv', 'fleet.csv')).json
    assert.deepEqual([again.created, again.updated, again.duplicate], [0, 0, 2])
    const changed = CSV.replace('AB 12', 'AB 13')
    assert.equal((await send('objects', changed, undefined, 'fleet.csv')).json.updated, 1)
    const { items } = await get(`${at}/objects`)
    assert.deepEqual(
      items.map((each: Json) => each.plate_number),
      ['AB 13', null],
    )
  })

  it('escapes the line separators of Unicode in its answer', async () => {
    const { json, text } = await send('objects', 'name,ident\nA\u2028B\u2029C,\n', 'text/csv')
    assert.doesNotMatch(text, /[\u2028\u2029]/)
    const [{ first }] = Object.values<Json>(json.reasons) as [Json]
    assert.match(first[0].text, /A\u2028B\u2029C/)
  })

  it('recognizes NDJSON by its media type or its file name', async () => {
    const rows =
      '{"name":"One","latitude":1,"longitude":2}\n{"name":"Two","latitude":3,"longitude":4}\n'
    assert.equal((await send('sites', rows, 'application/x-ndjson')).json.created, 2)
    assert.equal((await send('sites', rows, 'text/plain', 'sites.ndjson')).json.duplicate, 2)
    const packed = gzipSync(rows)
    assert.equal(
      (await send('sites', packed, 'application/octet-stream', 's.ndjson.gz')).json.duplicate,
      2,
    )
  })

  it('rejects other files as a whole or row by row, and changes nothing', async () => {
    const before = [await get(`${at}/objects`), await get(`${at}/sites`)]
    for (const [kind, body, type, file] of [
      ['objects', CSV, undefined, 'fleet.xlsx'],
      ['objects', CSV, undefined, ''],
      ['objects', CSV, 'application/geo+json', 'fleet.geojson'],
      ['objects', 'a,b\n1,2\n', 'text/csv', ''],
      ['objects', '', 'text/csv', ''],
      ['sites', '{"type":"Feature', 'application/geo+json', ''],
      ['sites', '[]', 'application/geo+json', ''],
      ['sites', '\0\u0001\u0002', 'text/csv', ''],
      ['sites', Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'text/csv', 'x.csv.gz'],
      ['sites', 'null\n[]\n1\n{"__proto__":{"name":"x"}}\n', 'application/x-ndjson', ''],
      ['sites', `${'['.repeat(100_000)}\n`, 'application/x-ndjson', ''],
    ] as const) {
      const answer = await send(kind, body, type, file)
      if (answer.status === 200) {
        const { created, updated, read, rejected } = answer.json
        assert.deepEqual([created, updated, read - rejected], [0, 0, 0], answer.text)
      } else assertError(answer, 400, 'invalid', 'file')
    }
    assert.deepEqual([await get(`${at}/objects`), await get(`${at}/sites`)], before)
  })

  it('with one long line leaves time for other requests', async () => {
    const body = `{"type":"FeatureCollection","features":[${'0,'.repeat(300_000)}0]}`
    let isOver = false
    const imported = send('geofences', body, 'application/geo+json').finally(() => {
      isOver = true
    })
    let answered = 0
    // A request without a database: in this process, a slow machine gives it as many turns as a fast one.
    for (; !isOver; answered += 1) await request(origin(), '/health')
    assert.equal((await imported).json.rejected, 300_001)
    assert.ok(answered >= 20, `${answered} requests were answered during the import`)
  })

  it('stops a gzipped file that unpacks to more than 64 MiB', async () => {
    const packed = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '))
    const { stopped } = (await send('objects', packed, undefined, 'fleet.ndjson.gz')).json
    assert.match(stopped, /^'fleet.ndjson.gz' is larger than 67108864 bytes when it is unpacked/)
  })

  it('is in the audit log with its counts, even with more rows than one write holds', async () => {
    const rows = Array.from({ length: 4_500 }, (_, i) => `Site ${i},${i / 100},1\n`).join('')
    const csv = `name,latitude,longitude\n${rows}`
    const { created } = (await send('sites', csv, 'text/csv', 'many.csv')).json
    const { items } = await get(`/organizations/${id}/audit`)
    const imports = items.filter((each: Json) => each.changes?.created?.to > 2)
    assert.deepEqual(new Set(imports.map(({ action }: Json) => action)), new Set(['site.import']))
    const counted = imports.map(({ changes }: Json) => changes.created.to)
    assert.equal(
      counted.reduce((a: number, b: number) => a + b),
      created,
    )
  })
})
