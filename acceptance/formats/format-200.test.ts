import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import type { Answer } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { NAMES, WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { FORMATS, withFormat } from './formats.ts'

const fleet = await sharedFleet()

const dataLines = (text: string): string[] => text.split('\n').slice(0, -1)

/** The number of rows in an answer. */
function countIn(format: string, text: string): number {
  switch (format) {
    case 'json':
      return JSON.parse(text).result.length
    case 'ndjson':
      return dataLines(text).length
    case 'csv':
      return parse(text, { record_delimiter: '\r\n' }).length - 1
    case 'geojson':
      return JSON.parse(text).features.length
    default:
      return text.split(/<(?:trkpt|wpt|Placemark)[ >]/).length - 1
  }
}

describe('format=: 200', () => {
  const organization = fleet.take()
  const { van, silent } = organization.objects
  const get = (path: string, headers = {}): Promise<Answer> => organization.get(path, { headers })

  for (const { name, path, formats } of OPERATIONS.filter((each) => each.formats.length > 1)) {
    it(`${name} has the rows of JSON in each format, with its type`, async () => {
      const counts = new Set<number>()
      for (const format of formats) {
        const answer = await fleet.ask((asked) => withFormat(path(asked), format))
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.headers['content-type']?.split(';')[0], FORMATS[format])
        assert.equal(answer.headers.vary, 'Accept, Accept-Encoding')
        counts.add(countIn(format, answer.text))
      }
      assert.equal(counts.size, 1, [...counts].join())
    })
  }

  it('has the texts of CSV exactly as they are stored', async () => {
    const { text } = await get(`/positions/latest?ids=${van},${silent}&format=csv`)
    const [head, first, second] = parse(text, { record_delimiter: '\r\n' }) as string[][]
    assert.deepEqual(head?.slice(0, 4), ['id', 'ident', 'name', 'latitude'])
    assert.equal(first?.[2], NAMES.van)
    assert.deepEqual(second?.slice(3, 10), ['', '', '', '', '', '', ''])
  })

  it('omits an object without a position from GPX and KML, and from no other format', async () => {
    const counts: Record<string, number> = {}
    for (const format of Object.keys(FORMATS)) {
      const { text } = await get(`/positions/latest?ids=${van},${silent}&format=${format}`)
      counts[format] = countIn(format, text)
    }
    assert.deepEqual(counts, { json: 2, ndjson: 2, csv: 2, geojson: 2, gpx: 1, kml: 1 })
  })

  it('charges no object that it omits', async () => {
    const own = fleet.take()
    const { van, silent } = own.objects
    await fleet.run('org', 'update', String(own.id), '--daily-quota', '1')
    const ask = (path: string) => own.get(path.replace('{ids}', `${van},${silent}`))
    assert.equal((await ask('/positions/latest?ids={ids}&format=gpx')).status, 200)
    const moment = 'time=2026-01-01&format=kml'
    assert.equal((await own.get(`/positions/at?ids=${silent}&${moment}`)).status, 200)
    assert.equal((await own.get(`/positions/latest?ids=${silent}`)).status, 200)
    // Nothing is left of either of them, wherever they are.
    const refused = await ask(`/positions/at?ids={ids}&${moment}`)
    const exhausted = refused.headers['x-quota-exhausted']
    assert.deepEqual([refused.status, exhausted], [400, `${van},${silent}`])
  })

  it('has no rows in a range without positions', async () => {
    const empty = 'from_time=2020-01-01&to_time=2020-01-02'
    for (const format of Object.keys(FORMATS)) {
      const answer = await get(`/objects/${van}/positions?${empty}&format=${format}`)
      assert.equal(answer.status, 200)
      assert.equal(countIn(format, answer.text), 0, format)
    }
  })

  it('has visits at their places, and trips as lines', async () => {
    const trips = (await get(`/trips?ids=${van}&${WHOLE_RANGE}&format=geojson`)).json.features
    for (const { geometry, properties } of trips) {
      assert.equal(geometry.type, properties.open ? 'Point' : 'LineString')
    }
    assert.ok(trips.length > 0)
    const [full] = fleet.full
    const [geofence] = (await full!.get('/geofences?format=geojson')).json.features
    const [ring] = geofence.geometry.coordinates
    assert.deepEqual(ring[0], ring.at(-1))
    assert.equal(geofence.properties.coordinates, undefined)
  })

  it('repeats the format in the link of the next page', async () => {
    const path = `/objects/${van}/positions?${WHOLE_RANGE}&limit=5`
    const all = resultOf(await get(`/objects/${van}/positions?${WHOLE_RANGE}`))
    const rows: Json[] = []
    for (let next: string | undefined = `${path}&format=ndjson`; next !== undefined; ) {
      const answer: Answer = await get(next)
      rows.push(...dataLines(answer.text).map((line) => JSON.parse(line)))
      const link = answer.headers.link as string | undefined
      next = link && /<\/public\/v1([^>]+)>/.exec(link)![1]!
      assert.ok(next === undefined || next.endsWith('&format=ndjson'))
    }
    assert.deepEqual(rows, all)
  })

  it('counts an empty format as absent', async () => {
    const answer = await get(`/objects?format=`)
    assert.match(answer.headers['content-type']!, /^application\/json/)
  })
})

describe('Accept: 200', () => {
  const organization = fleet.take()
  const { van } = organization.objects
  const typeOf = async (path: string, accept: string) => {
    const { status, headers } = await organization.get(path, { headers: { accept } })
    assert.equal(status, 200)
    return headers['content-type']!.split(';')[0]
  }

  it('chooses the format with the highest weight, and JSON on a tie', async () => {
    const history = `/objects/${van}/positions?${WHOLE_RANGE}`
    const chosen: [accept: string, type: string][] = [
      ['text/csv', 'text/csv'],
      ['TEXT/CSV; header=absent', 'text/csv'],
      ['application/json;q=0.5, application/gpx+xml', 'application/gpx+xml'],
      ['text/csv, application/json', 'application/json'],
      ['text/csv;q=0.4, application/x-ndjson;q=0.5, */*;q=0.1', 'application/x-ndjson'],
      ['text/csv;q=0.5, */*', 'application/json'],
      ['text/csv;q=0', 'application/json'],
      ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
    ]
    for (const [accept, type] of chosen) assert.equal(await typeOf(history, accept), type, accept)
  })

  it('has JSON for an operation without the format', async () => {
    assert.equal(await typeOf(`/objects/${van}`, 'text/csv'), 'application/json')
    assert.equal(
      await typeOf(`/days?ids=${van}&${WHOLE_DAYS}`, 'application/gpx+xml'),
      'application/json',
    )
  })
})

describe('A format', () => {
  const organization = fleet.take()
  const { van, longHaul } = organization.objects
  const get = (path: string, headers = {}, method = 'GET') =>
    organization.get(path, { headers, method })

  it('has an entity tag of its own', async () => {
    const json = await get('/sites')
    const csv = await get('/sites?format=csv')
    assert.notEqual(json.headers.etag, csv.headers.etag)
    const none = { 'if-none-match': csv.headers.etag! }
    assert.equal((await get('/sites', { ...none, accept: 'text/csv' })).status, 304)
    assert.equal((await get('/sites', none)).status, 200)
  })

  it('is compressed as JSON is', async () => {
    const path = `/objects/${longHaul}/positions?${WHOLE_RANGE}&format=kml`
    const plain = await get(path)
    const packed = await get(path, { 'accept-encoding': 'gzip' })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(packed.bytes).toString(), plain.text)
  })

  it('has the headers of a GET on HEAD, and no body', async () => {
    const path = `/objects/${van}/positions?${WHOLE_RANGE}&format=csv`
    const [head, whole] = [await get(path, {}, 'HEAD'), await get(path)]
    assert.equal(head.bytes.length, 0)
    assert.equal(head.headers['content-type'], whole.headers['content-type'])
    assert.equal(head.headers['content-length'], whole.headers['content-length'])
  })

  it('is JSON for errors', async () => {
    const answer = await get('/objects/999999999/positions?format=csv&from_time=2024-01-01')
    assert.equal(answer.status, 400)
    assert.match(answer.headers['content-type']!, /^application\/json/)
    assert.equal(answer.json.errorCode, 'PUBLIC.400_002')
  })
})
