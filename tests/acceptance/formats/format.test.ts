import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import type { Answer } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { nextOf } from '../harness/pages.ts'
import { FORMATS, withFormat } from './formats.ts'

const fleet = await startFleet()

const dataLines = (text: string): string[] => text.split('\n').slice(0, -1)

/** The number of rows in an answer. */
async function countIn(format: string, { text, bytes }: Answer): Promise<number> {
  switch (format) {
    case 'xlsx':
      return (await readXlsx(bytes)).sheets[0]!.rows.length - 1
    case 'json':
      return JSON.parse(text).result.length
    case 'ndjson':
      return dataLines(text).length
    case 'csv':
      return parse(text, { record_delimiter: '\r\n' }).length - 1
    case 'geojson':
      return JSON.parse(text).features.length
    default:
      return text.split(/<(?:trkpt|wpt|Point)[ >]/).length - 1
  }
}

describe('format=: 200', () => {
  const organization = fleet.take()
  const { van } = organization.objects
  // No other request may charge its objects.
  const paying = fleet.take()
  const get = (path: string, headers = {}): Promise<Answer> => organization.get(path, { headers })

  for (const { name, path, formats } of OPERATIONS.filter((each) => each.formats.length > 1)) {
    it(`${name} has the rows of JSON in each format, with its type`, async () => {
      const counts = new Set<number>()
      for (const format of formats) {
        const answer = await fleet.ask((asked) => withFormat(path(asked), format))
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.headers['content-type']?.split(';')[0], FORMATS[format])
        assert.equal(answer.headers.vary, 'Accept, Accept-Encoding')
        counts.add(await countIn(format, answer))
      }
      assert.equal(counts.size, 1, [...counts].join())
    })
  }

  it('charges no object that it omits', async () => {
    const { van, silent } = paying.objects
    await fleet.run('org', 'update', String(paying.id), '--daily-quota', '1')
    const ask = (path: string) => paying.get(path.replace('{ids}', `${van},${silent}`))
    const latest = await ask('/positions/latest?ids={ids}&format=gpx')
    assert.deepEqual([latest.status, await countIn('gpx', latest)], [200, 1])
    const moment = 'time=2026-01-01&format=kml'
    assert.equal((await paying.get(`/positions/at?ids=${silent}&${moment}`)).status, 200)
    assert.equal((await paying.get(`/positions/latest?ids=${silent}`)).status, 200)
    // Nothing is left of either of them, wherever they are.
    const refused = await ask(`/positions/at?ids={ids}&${moment}`)
    const exhausted = refused.headers['x-quota-exhausted']
    assert.deepEqual([refused.status, exhausted], [400, `${van},${silent}`])
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
      next = nextOf(answer)
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
  const { van } = organization.objects
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

describe('format=: 406', () => {
  const organization = fleet.take()

  for (const { name, path, formats } of OPERATIONS) {
    it(`${name} names the formats that it has`, async () => {
      const other = Object.keys(FORMATS).find((format) => !formats.includes(format)) ?? 'xls'
      const answer = await fleet.ask((asked) => withFormat(path(asked), other))
      assertRefused(answer, 406, 'PUBLIC.406_001')
      assert.ok(answer.json.message.includes(`"${other}"`), answer.json.message)
      assert.ok(answer.json.message.includes(formats.join(', ')), answer.json.message)
    })
  }

  it('comes before what is wrong with other parameters, and charges nothing', async () => {
    const answer = await organization.get('/objects/x/positions?format=CSV')
    assertRefused(answer, 406, 'PUBLIC.406_001')
    assert.equal(answer.headers['x-quota-remaining'], undefined)
  })
})

describe('format=: 400', () => {
  const organization = fleet.take()

  it('refuses a repeated format', async () => {
    const { van } = organization.objects
    const path = `/objects/${van}/positions?${WHOLE_RANGE}`
    const answer = await organization.get(`${path}&format=csv&format=json`)
    assertRefused(answer, 400, 'PUBLIC.400_001')
    assert.ok(answer.json.message.includes('format'))
  })
})
