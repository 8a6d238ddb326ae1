import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as requestTo } from 'node:http'
import { describe, it } from 'node:test'
import { ADA, ADMIN, assertError, operatorBy, startConsole } from '../harness/admin.ts'
import type { Answer } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'

const { operator, origin } = await startConsole()
const { get, post } = operator

const CSV = [
  'bus,when,lat,lon,mph,driver',
  'bus-1,2024-02-29T12:00:00,30.1,-97.1,62.5,Ann',
  'bus-1,2024-02-29T12:01:00,30.11,-97.1,0,Ann',
  'bus-2,2024-02-29T12:00:00,0,0,0,Bob',
  '',
].join('\n')
const MAP = 'map=ident%3Dbus,time_device%3Dwhen,speed%3Dmph'
const OPTIONS = `${MAP}&speed_unit=mph&timezone=America/Chicago&create_objects=true`

async function organization(name: string) {
  const { id } = await post('/organizations', { name })
  const at = `/organizations/${id}`
  const send = (path: string, body: string, by = operator, headers = {}) =>
    by.ask('POST', `${at}/import/${path}`, {
      body,
      headers: { 'content-type': 'text/csv', ...headers },
    })
  return { id: id as number, at, send }
}

/** Rows that take the server seconds to import. */
function rows(count: number): string {
  const lines = Array.from({ length: count }, (_, i) => `A${i % 50},${1740819600 + i},1,${i % 90}`)
  return `ident,time,lat,lon\n${lines.join('\n')}\n`
}

describe('An import of positions over the API', () => {
  it('reads columns, units and times by its options, and accounts for every row', async () => {
    const { id, at, send } = await organization('Imported')
    const { json } = await send(`positions?file=day.csv&${OPTIONS}`, CSV)
    assert.deepEqual(
      [json.file, json.read, json.accepted, json.rejected, json.created, json.stopped],
      ['day.csv', 3, 2, 1, 1, null],
    )
    assert.deepEqual(json.columns, {
      used: { ident: 'bus', time_device: 'when', speed: 'mph' },
      guessed: { latitude: 'lat', longitude: 'lon' },
      ignored: ['driver'],
    })
    const [object] = (await get(`${at}/objects`)).items
    assert.deepEqual([object.ident, object.time_device], ['bus-1', '2024-02-29T18:01:00.000Z'])
    const { items } = await get(`/organizations/${id}/audit`)
    const [entry, before] = items
    assert.deepEqual([entry.action, entry.actor], ['positions.import', ADA])
    assert.deepEqual(entry.changes.accepted, { to: 2 })
    assert.deepEqual([before.action, before.changes], ['object.import', { created: { to: 1 } }])
  })

  it('says what it left out, where, and whether everything that was asked for is in', async () => {
    const { send } = await organization('Left out')
    const point = (lat: string) =>
      `<trkpt lat="${lat}" lon="2"><time>2025-03-01T10:00:0${lat}Z</time></trkpt>`
    const track = (name: string, lat: string) =>
      `<trk><name>${name}</name><trkseg>${point(lat)}</trkseg></trk>\n`
    const begin = `<gpx>\n<wpt lat="5" lon="6"><name>Yard</name></wpt>\n${track('G1', '1')}`
    const importGpx = async (what: string, gpx: string) => {
      const headers = { 'content-type': 'application/gpx+xml' }
      const { json } = await send(`${what}?file=t.gpx&create_objects=true`, gpx, operator, headers)
      return json
    }
    const whole = await importGpx('positions', `${begin}</gpx>`)
    assert.deepEqual([whole.read, whole.accepted, whole.complete], [1, 1, true])
    const { count, first } = whole.omitted.waypoint
    assert.deepEqual([count, first[0].file, first[0].line], [1, 't.gpx', 2])
    assert.match(first[0].detail, /a waypoint is a place/)
    const broken = await importGpx('positions', `${begin}${track('R&D', '2')}</gpx>`)
    assert.deepEqual([broken.read, broken.duplicate, broken.complete], [1, 1, false])
    assert.match(broken.stopped, /'t.gpx' is not well-formed XML in line 4, column 13: an '&'/)
    const preview = await importGpx('positions/preview', `${begin}</gpx>`)
    assert.match(preview.notes.join(), /each waypoint is left out, the first in line 2: a waypoint/)
    assert.equal(preview.rows.length, 1)
  })

  it('refuses what does not fit, and names it', async () => {
    const { at, send } = await organization('Refused')
    for (const [query, body, field, message] of [
      ['', 'ident,name\nA1,Van\n', 'file', /looks like objects/],
      ['', 'ident,time,lat,lat,lon\n', 'file', /choose one with map latitude=COLUMN/],
      ['?speed_unit=warp', CSV, 'speed_unit', /must be one of mps, kmh, mph, knots/],
      ['?timezone=Mars', CSV, 'timezone', /must be an IANA time zone/],
      ['?create_objects=yes', CSV, 'create_objects', /must be true or false/],
      ['?map=nonsense%3Da', CSV, 'file', /unknown field 'nonsense'/],
    ] as const) {
      const answer = await send(`positions${query}`, body)
      assert.match(assertError(answer, 400, 'invalid', field).message, message)
    }
    const positions = `ident,name,time,lat,lon\nA1,Van,1740819600,1,2\n`
    const answer = await send('objects', positions)
    assert.match(assertError(answer, 400, 'invalid', 'file').message, /looks like positions/)
    assert.deepEqual((await get(`${at}/objects`)).items, [])
  })

  it('names what a file of another kind holds and the import that takes it', async () => {
    const { send } = await organization('Another kind')
    const track = 'imei,when,lat,lng,speed\nbus-1,1740819600,1,2,30\nbus-1,1740819660,1,3,30\n'
    const gpx = { 'content-type': 'application/gpx+xml' }
    const toPositions = /'import positions'/
    for (const [path, body, headers, message] of [
      ['objects', track, {}, /looks like positions: it has the columns lat, lng, speed/],
      ['objects?file=track.gpx', '<gpx/>', gpx, toPositions],
      ['sites', track, {}, toPositions],
      ['positions', 'name,wkt\nYard,POINT (2 1)\n', {}, /looks like places.*'import geofences'/],
    ] as const) {
      const answer = await send(path, body, operator, headers)
      assert.match(assertError(answer, 400, 'invalid', 'file').message, message, path)
    }
  })

  it('takes the exports of phones, by the type of the body or the name of the file', async () => {
    const { at, send } = await organization('Phones')
    const time = '2024-05-31T22:12:02.000Z'
    const rec = `2024-05-31T22:12:02Z\t*\t{"_type":"location","tst":1717193522,"lat":1,"lon":2,"vel":36,"topic":"rec"}\n`
    const track = `<Placemark><name>kml</name><Track><when>${time}</when><coord>2 1</coord></Track></Placemark>`
    const segment = `{"startTime":"${time}","timelinePath":[{"point":"geo:1,2","time":"${time}"}]}`
    const records = `{"locations":[{"latitudeE7":10000000,"longitudeE7":20000000,"timestampMs":"1717193522000","deviceTag":7}]}`
    const point = `{"type":"Feature","properties":{"time":"${time}","speed":10},"geometry":{"type":"Point","coordinates":[2,1]}}`
    const sent: [query: string, type: string, body: string][] = [
      ['file=2024-05.rec', 'application/octet-stream', rec],
      ['file=a', 'application/vnd.google-earth.kml+xml', `<kml>${track}</kml>`],
      ['file=Timeline.json&ident=timeline', 'application/octet-stream', `[${segment}]`],
      ['file=Records.json', 'application/json', records],
      [
        'file=log.geojson&ident=gpslogger',
        'application/geo+json',
        `{"type":"FeatureCollection","features":[${point}]}`,
      ],
    ]
    for (const [query, type, body] of sent) {
      const headers = { 'content-type': type }
      const path = `positions?create_objects=true&${query}`
      const { json } = await send(path, body, operator, headers)
      assert.deepEqual([json.accepted, json.created, json.complete], [1, 1, true], query)
      const again = (await send(path, body, operator, headers)).json
      assert.deepEqual([again.duplicate, again.accepted], [1, 0], query)
    }
    const idents = (await get(`${at}/objects`)).items.map((object: Json) => object.ident)
    assert.deepEqual(idents, ['rec', 'kml', 'timeline', '7', 'gpslogger'])
    const unnamed = await send('positions/preview?file=Timeline.json', `[${segment}]`, operator, {
      'content-type': 'application/json',
    })
    assert.match(unnamed.json.problem, /does not name the device of its positions; use ident$/)
  })

  it('shows its progress to a client that asks for lines', async () => {
    const { send } = await organization('Progress')
    const path = 'positions?create_objects=true'
    const lines: Json[] = []
    const target = new URL(`${ADMIN}${(await organization('Lines')).at}/import/${path}`, origin())
    const sent = requestTo(target, {
      method: 'POST',
      headers: {
        ...operator.headers,
        ...{ origin: origin(), accept: 'application/x-ndjson', 'content-type': 'text/csv' },
      },
    })
    sent.end(rows(45_000))
    const [answer] = await once(sent, 'response')
    assert.equal(answer.headers['content-type'], 'application/x-ndjson')
    let text = ''
    for await (const chunk of answer) text += chunk
    for (const line of text.trimEnd().split('\n')) lines.push(JSON.parse(line))
    const progress = lines.slice(0, -1).map((line) => line.progress)
    assert.ok(progress.length >= 4)
    assert.ok(progress.every((each, i) => i === 0 || each.rows > progress[i - 1].rows))
    assert.ok(progress.every(({ bytes, size }) => bytes > 0 && bytes <= size))
    assert.equal(lines.at(-1).summary.accepted, 45_000)
    const refused = await send(path, 'a,b\n', operator, { accept: 'application/x-ndjson' })
    assertError(refused, 400, 'invalid', 'file')
  })
})

describe('The preview of an import of positions', () => {
  it('tells how the columns and the first rows would be read, and writes nothing', async () => {
    const { id, at, send } = await organization('Preview')
    const { json } = await send(`positions/preview?file=day.csv&${OPTIONS}`, CSV)
    assert.equal(json.problem, null)
    assert.deepEqual(json.columns.guessed, { latitude: 'lat', longitude: 'lon' })
    assert.deepEqual(json.columns.ignored, ['driver'])
    assert.deepEqual(
      json.fields.filter((field: Json) => field.required).map((field: Json) => field.name),
      ['ident', 'time_device', 'latitude', 'longitude'],
    )
    assert.deepEqual(
      json.rows.map(({ line, values }: Json) => [
        line,
        values?.ident ?? null,
        values?.time_device ?? null,
        values?.latitude ?? null,
      ]),
      [
        [2, 'bus-1', '2024-02-29T18:00:00.000Z', 30.1],
        [3, 'bus-1', '2024-02-29T18:01:00.000Z', 30.11],
        [4, null, null, null],
      ],
    )
    assert.equal(json.rows[0].values.speed, 100.584)
    assert.match(json.rows[2].rejected, /latitude and longitude are 0/)
    assert.deepEqual((await get(`${at}/objects`)).items, [])
    const { items } = await get(`/organizations/${id}/audit`)
    assert.deepEqual(
      items.map((each: Json) => each.action),
      ['organization.create'],
    )
  })

  it('shows the columns of a file that the import would refuse, and says why', async () => {
    const { send } = await organization('Unfit')
    const objects = (await send('positions/preview', 'ident,name\nA1,Van\n')).json
    assert.match(objects.problem, /looks like objects/)
    assert.deepEqual(objects.columns.used, { ident: 'ident' })
    assert.deepEqual(objects.columns.ignored, ['name'])
    const foreign = (await send('positions/preview', 'bus,when,y,x\nA1,1740819600,1,2\n')).json
    assert.match(foreign.problem, /no column for ident .*map ident=COLUMN/)
    assert.deepEqual(foreign.columns.ignored, ['bus', 'when', 'y', 'x'])
    const twice = (await send('positions/preview', 'ident,time,lat,Lat,lon\n')).json
    assert.match(twice.problem, /several columns for latitude/)
  })

  it('reads the head of a file that is longer', async () => {
    const { send } = await organization('Head')
    const path = 'positions/preview?create_objects=true'
    const head = (await send(path, rows(10_000).slice(0, 65_536))).json
    assert.deepEqual([head.problem, head.rows.length], [null, 100])
    const short = (await send(path, rows(5).slice(0, -8))).json
    assert.deepEqual([short.problem, short.rows.length], [null, 4])
  })

  it('asks for the order of dates that fit several, with an example of each', async () => {
    const { send } = await organization('Dates')
    const text = 'ident;Zeit;Breite;Länge\nA1;03/04/2025 08:00;48,1;11,5\n'
    const path = 'positions/preview?create_objects=true'
    const { problem, table, rows } = (await send(path, text)).json
    assert.match(problem, /dates DMY: 2025-04-03T08:00:00; dates MDY: 2025-03-04T08:00:00/)
    assert.deepEqual([table.dates.value, table.dates.from, rows], [null, 'open', []])
    assert.deepEqual(
      table.dates.choices.map((choice: Json) => choice.value),
      ['DMY', 'MDY'],
    )
    assert.deepEqual([table.decimal.value, table.decimal.example], [',', '48,1'])
    const chosen = (await send(`${path}&dates=DMY`, text)).json
    assert.deepEqual([chosen.problem, chosen.table.dates.from], [null, 'given'])
    assert.equal(chosen.rows[0].values.time_device, '2025-04-03T08:00:00.000Z')
    const wrong = await send(`${path}&dates=YDM`, text)
    assertError(wrong, 400, 'invalid', 'file')
  })
})

describe('The preview of an import of objects', () => {
  it('shows how the first rows would be stored, and writes nothing', async () => {
    const { at, send } = await organization('Objects')
    const text = 'Gerät;Bezeichnung;Kennzeichen;odometer\nA1;Bus;M-AB 12;12.345,5\n'
    const { json } = await send('objects/preview', text)
    assert.equal(json.problem, null)
    const { ident, name, plate_number, odometer } = json.rows[0].values
    assert.deepEqual([ident, name, plate_number, odometer], ['A1', 'Bus', 'M-AB 12', 12_345.5])
    assert.deepEqual((await get(`${at}/objects`)).items, [])
    const fixes = 'ident;Datum;Uhrzeit;Breite;Länge\nA1;20.11.2025;08:00;48,1;11,5\n'
    const other = (await send('objects/preview', fixes)).json
    assert.match(other.problem, /looks like positions.*'import positions'/)
  })
})

describe('Imports over the API', () => {
  it('are refused with 503 and Retry-After beyond two of one organization at once', async () => {
    const { at, send } = await organization('Many')
    const holding = await Promise.all([working(at), working(at)])
    const { secret } = await post('/tokens', { role: 'operator', name: 'another' })
    const other = operatorBy(origin, { authorization: `Bearer ${secret}` })
    const refused = await send('positions', CSV, other)
    assert.match(assertError(refused, 503, 'busy').message, /try again in \d+ s/)
    assert.match(String(refused.headers['retry-after']), /^\d+$/)
    const others = await organization('Others')
    assert.equal((await others.send(`positions?${OPTIONS}`, CSV)).status, 200)
    for (const each of holding) each.destroy()
    await taken(send)
  })

  it('end when their sender has gone; the audit log tells what was stored', async () => {
    const { id, at, send } = await organization('Gone')
    const [sent, other] = await Promise.all([working(at), working(at)])
    sent.destroy()
    await taken(send)
    const stored = await accepted(id)
    assert.ok(stored > 0 && stored < 2 * WORKED_ROWS)
    assert.equal(other.answer.complete, false)
    other.destroy()
  })

  it('end when their token is revoked', async () => {
    const { id, at } = await organization('Revoked')
    const { token, secret } = await post('/tokens', { role: 'operator', name: 'short' })
    const headers = { authorization: `Bearer ${secret}` }
    const sent = begin(`${at}/import/positions?create_objects=true`, headers)
    const answered = once(sent, 'response')
    sent.end(rows(900_000))
    await stored(id)
    await operator.delete(`/tokens/${token.id}`)
    const [answer] = await answered
    assert.equal(answer.statusCode, 401)
    answer.resume()
    assert.ok((await accepted(id)) < 900_000)
  })
})

function begin(path: string, headers: Record<string, string>) {
  return requestTo(new URL(ADMIN + path, origin()), {
    method: 'POST',
    headers: { origin: origin(), 'content-type': 'text/csv', ...headers },
  })
}

const WORKED_ROWS = 400_000

/** An import that has stored its first rows, and takes seconds for the others. */
async function working(at: string) {
  const headers = { ...operator.headers, accept: 'application/x-ndjson' }
  const sent = begin(`${at}/import/positions?create_objects=true`, headers)
  sent.on('error', () => {}).end(rows(WORKED_ROWS))
  const [answer] = await once(sent, 'response')
  answer.on('error', () => {}).resume()
  return { answer, destroy: () => sent.destroy() }
}

async function accepted(id: number): Promise<number> {
  const { items } = await get(`/organizations/${id}/audit`)
  const imports = items.filter((each: Json) => each.action === 'positions.import')
  return imports.reduce((sum: number, { changes }: Json) => sum + changes.accepted.to, 0)
}

/** Waits until a part of the import is stored. */
async function stored(id: number): Promise<void> {
  while ((await accepted(id)) === 0);
}

/** Waits until the server takes another import of this session, because one has ended. */
async function taken(send: (path: string, body: string) => Promise<Answer>): Promise<void> {
  while ((await send('sites', 'name\n')).status === 503);
}
