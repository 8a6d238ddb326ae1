import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertMisuse, importing, NOW } from '../../../testing/imports.ts'
import type { PositionFormat } from '../../base/domain/import-formats.ts'
import type { ItemTopic } from '../../base/domain/item-rules.ts'

const trial = importing()
const { positions, catalogue } = trial

const HEADER = 'ident,time,lat,lon'
const TEXT = `${HEADER}\nMüller 🚌,2025-03-01T10:00:00Z,40.5,-3.5\n`

describe('The encoding of a file', () => {
  for (const [name, bytes] of [
    ['UTF-16, little-endian', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 without a mark, little-endian', Buffer.from(TEXT, 'utf16le')],
    ['UTF-16 without a mark, big-endian', Buffer.from(TEXT, 'utf16le').swap16()],
  ] as const) {
    it(`${name} is known by its first bytes, however the bytes come`, async () => {
      for (const chunk of [1, 3, 1 << 16]) {
        const { read, rejected, truncated } = await positions(bytes, { chunk })
        assert.deepEqual([read, rejected, truncated], [1, 0, false])
      }
      const [object] = await trial.store.objects.list(trial.organization.id)
      assert.equal(object!.ident, 'Müller 🚌')
    })
  }

  it('UTF-16 inside gzip is read too', async () => {
    const bytes = gzipSync(Buffer.from(`\ufeff${TEXT}`, 'utf16le'))
    assert.equal((await positions(bytes, { name: 'p.csv.gz' })).accepted, 1)
  })

  for (const [what, bytes, message, name] of [
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x69, 0, 0, 0]), /UTF-32/],
    [
      'no gzip',
      Buffer.from('no gzip at all'),
      /cannot read 'p.csv.gz': it is not gzip, or damaged/,
      'p.csv.gz',
    ],
    ['a workbook', Buffer.from('PK\u0003\u0004rest'), /Excel workbook.*save it as CSV/],
    ['gzip by another name', gzipSync(TEXT), /gzip.*ends in \.gz/],
  ] as const) {
    it(`${what} is refused by name`, async () => {
      const { read, stopped } = await positions(bytes, name === undefined ? {} : { name })
      assert.equal(read, 0)
      assert.match(stopped!, message)
    })
  }
})

describe('A gzipped file', () => {
  const rows = Array.from({ length: 5000 }, (_, at) => `A${at % 7},${1740819600 + at},1.${at},2`)
  const packed = gzipSync(`${HEADER}\n${rows.join('\n')}\n`)

  for (const missing of [packed.length >> 1, 9, 1]) {
    it(`without its last ${missing} bytes is read in part, which is reported`, async () => {
      const cut = packed.subarray(0, packed.length - missing)
      for (const chunk of [777, 1 << 16]) {
        const { accepted, duplicate, truncated, stopped } = await positions(cut, {
          ...{ name: 'p.csv.gz', chunk },
        })
        assert.ok(accepted + duplicate > 1000)
        assert.ok(truncated)
        assert.match(stopped!, /cannot read 'p.csv.gz' to its end: the file is cut off/)
      }
    })
  }

  it('with several members, or with zeros after its end, is whole', async () => {
    for (const bytes of [
      Buffer.concat([gzipSync(`${HEADER}\n`), gzipSync('A1,1740819600,1,2\n')]),
      Buffer.concat([gzipSync(`${HEADER}\nA1,1740819600,1,2\n`), Buffer.alloc(512)]),
    ]) {
      for (const chunk of [20, 1 << 16]) {
        const { read, stopped, truncated } = await positions(bytes, { name: 'p.csv.gz', chunk })
        assert.deepEqual([read, stopped, truncated], [1, null, false])
      }
    }
  })
})

describe('JSON that is not one object on each line', () => {
  it('an array is refused by name', async () => {
    const array = '[{"ident":"A1","time":1740819600,"lat":1,"lon":2}]'
    for (const text of [array, `\n  ${array}`, array.replace('{', '\n{')]) {
      await assertMisuse(
        positions(text, { name: 'p.json', format: 'ndjson' }),
        /'p.json' is a JSON array; give one object on each line.*jq -c '\.\[\]'/,
      )
      await assertMisuse(catalogue('objects', text, { format: 'ndjson' }), /is a JSON array/)
    }
  })

  it('GeoJSON is refused by name', async () => {
    const text = '{"type":"FeatureCollection","features":[]}'
    await assertMisuse(positions(text, { format: 'ndjson' }), /is GeoJSON/)
  })
})

describe('A time', () => {
  it('as a day number of a spreadsheet is rejected by name', async () => {
    const { reasons, accepted } = await positions(`${HEADER}\nA1,46084.33,1,2\nA1,46084,1,2\n`)
    assert.equal(accepted, 0)
    assert.equal(reasons.spreadsheet_time?.count, 2)
    const { detail } = reasons.spreadsheet_time!.first[0]!
    assert.match(detail, /time_device '46084.33' is a day number.*2026-03-03 07:55:12.*export it/)
    const received = `${HEADER},time_server\nA1,1740819600,1,2,46084.33\n`
    assert.deepEqual(Object.keys((await positions(received)).reasons), ['spreadsheet_time'])
  })

  it('before 1990 is rejected by name', async () => {
    const row = (time: string) => `A1,${time},1,2\n`
    const times = ['1970-01-01T00:00:00Z', '0', '1980-01-06', '1989-12-31T23:59:59.999Z']
    const text = `${HEADER}\n${times.map((time) => row(`${time}`)).join('')}${row('1990-01-01T00:00:00Z')}`
    const { accepted, reasons } = await positions(text)
    assert.equal(accepted, 1)
    assert.equal(reasons.before_1990?.count, 3)
    assert.match(reasons.before_1990!.first[0]!.detail, /time_device .* before 1990/)
  })
})

describe('The columns of a file', () => {
  it('two of them for one field are refused, unless one is chosen', async () => {
    const text = 'ident,time,lat,LAT,lon\nA1,1740819600,1,5,2\n'
    await assertMisuse(
      positions(text),
      /'p.csv' has several columns for latitude: lat, LAT; choose one with --map latitude=COLUMN/,
    )
    await assertMisuse(
      positions(text.replace('LAT', 'lat')),
      /several columns named 'lat': the second is 'lat \(2\)'/,
    )
    assert.equal((await positions(text, { map: 'latitude=LAT' })).accepted, 1)
    assert.equal((await trial.store.objects.list(trial.organization.id)).length, 1)
  })

  it('the field’s own name wins over another one, and the summary says so', async () => {
    const { notes, columns } = await positions('ident,time,lat,latitude,lon\nA1,1740819600,1,5,2\n')
    assert.deepEqual(notes, [
      "latitude was read from the column 'latitude', not from lat; --map latitude=COLUMN chooses",
    ])
    assert.equal(columns.used.latitude, 'latitude')
    assert.deepEqual(columns.ignored, ['lat'])
  })

  it('are reported: used, guessed and ignored ones', async () => {
    const csv = await positions('bus,time_device,Lat,lon,driver\nA1,1740819600,1,2,Ann\n', {
      map: 'ident=bus',
    })
    assert.deepEqual(csv.columns, {
      used: { ident: 'bus', time_device: 'time_device' },
      guessed: { latitude: 'Lat', longitude: 'lon' },
      ignored: ['driver'],
    })
    const ndjson = await positions(
      '{"ident":"A1","time":1740819600,"lat":1,"lon":2}\n{"ident":"A1","time":1740819601,"lat":1,"lng":2,"x":{"y":1}}\n',
      { format: 'ndjson' },
    )
    assert.deepEqual(ndjson.columns, {
      used: { ident: 'ident' },
      guessed: { time_device: 'time', latitude: 'lat', longitude: 'lon, lng' },
      ignored: ['x.y'],
    })
    const sites = await catalogue('sites', 'title,lat,lon,owner\nDepot,1,2,Ann\n', {
      format: 'csv',
    })
    assert.deepEqual(sites.columns, {
      used: {},
      guessed: { name: 'title', latitude: 'lat', longitude: 'lon' },
      ignored: ['owner'],
    })
    const feature =
      '{"type":"Feature","properties":{"title":"X","n":1},"geometry":{"type":"Point","coordinates":[1,2]}}'
    const { columns } = await catalogue('sites', feature)
    assert.deepEqual(columns, {
      used: { geometry: 'geometry' },
      guessed: { name: 'title' },
      ignored: ['n'],
    })
  })

  it('NDJSON with two of them for one field says which one was taken', async () => {
    const row = '{"ident":"A1","time":1740819600,"lat":1,"Lat":5,"lon":2}\n'
    const { notes } = await positions(row, { format: 'ndjson' })
    assert.match(notes.join(), /latitude was read from the column 'lat', not from Lat/)
  })
})

/** Imports a text in the format that its beginning shows. */
function imported(kind: ItemTopic | 'positions', text: string) {
  const format = text.startsWith('{"type"') ? 'geojson' : text.startsWith('{') ? 'ndjson' : 'csv'
  return kind === 'positions'
    ? positions(text, { format: format as PositionFormat })
    : catalogue(kind, text, { format })
}

describe('A file of another kind', () => {
  const AS_POSITIONS =
    /looks like positions: it has the columns .*use 'import positions', which creates/
  const AS_SITES = /looks like sites.*title, lat, lon.*use 'import sites'/
  const AS_PLACES = /looks like places.*'import geofences' or 'import routes'/
  const fixes = (columns: string) =>
    `ident,name,${columns}\nbus-1,Bus,1740819600,1,2,30\nbus-1,Bus,1740819660,1,3,30\n`
  const line = '{"ident":"bus-1","when":1740819600,"latitude":1,"lng":2}\n'
  const point = JSON.stringify({
    type: 'Feature',
    properties: { name: 'Bus', imei: 'bus-1', time: '2025-03-01T10:00:00Z' },
    geometry: { type: 'Point', coordinates: [2, 41] },
  })
  const sites = 'title,lat,lon,radius\nYard,1,2,3\n'
  const ring = '{"name":"Yard","coordinates":[[2,41],[3,41],[3,42],[2,41]]}\n'
  const places = ['geofences', 'routes', 'sites'] as const

  const refused: [text: string, kinds: Parameters<typeof imported>[0][], message: RegExp][] = [
    [fixes('time,lat,lon,speed'), ['objects', ...places], /'c.csv' looks like positions: it has/],
    ['{"imei":"1","timestamp":1740819600,"latitude":1,"lng":2}\n', ['objects'], AS_POSITIONS],
    [fixes('when,lat,lon,speed'), ['objects'], AS_POSITIONS],
    [fixes('time,y,x,speed'), ['objects'], AS_POSITIONS],
    [fixes('when,lat,y,heading'), ['objects'], AS_POSITIONS],
    [line, ['objects'], AS_POSITIONS],
    [`{"ident":\n${line}`, ['objects'], AS_POSITIONS],
    [point, [...places], AS_POSITIONS],
    ['ident,name,vin\nA1,Van,\n', ['sites'], /looks like objects.*use 'import objects'/],
    ['ident,name,plate_number,vin\nA1,Van,A,\n', ['positions'], /'p.csv' looks like objects/],
    ['{"ident":"A1","name":"Van"}\n', ['positions'], /looks like objects/],
    [sites, ['objects', 'geofences', 'routes', 'positions'], AS_SITES],
    [ring, ['objects', 'positions'], AS_PLACES],
    ['{"type":"Feature"}', ['objects'], /is GeoJSON; use 'import geofences'/],
  ]
  for (const [text, kinds, message] of refused) {
    it(`is refused as ${kinds.join(', ')}, by name: ${text.split('\n', 1)}`, async () => {
      for (const ofKnown of [false, true]) {
        const { store, organization } = trial
        if (ofKnown) await store.objects.ensure(organization.id, ['bus-1'], NOW)
        for (const kind of kinds) await assertMisuse(imported(kind, text), message)
        assert.equal((await store.objects.list(organization.id)).length, Number(ofKnown))
        assert.deepEqual(await store.sites.list(organization.id), [])
      }
    })
  }

  const taken: [text: string, kind: Parameters<typeof imported>[0]][] = [
    // Objects as they are exported.
    [
      'ident,name,time_device,latitude,longitude,accuracy.maximum_hdop\nA1,Van,2025-01-01,1,2,5\n',
      'objects',
    ],
    ['ident,name,plate,latitude,longitude\nA1,Van,AB 12,1,2\n', 'objects'],
    ['ident,name,latitude,longitude\nA2,Van,1,2\n', 'objects'],
    ['ident,plate_number,time_device\nA3,AB 12,2025-01-01\n', 'objects'],
    ['ident,name,latitude,longitude\nA2,Van,1,2\n', 'sites'],
    ['ident,time,lat,lon,device_timezone\nA1,1740819600,1,2,UTC\n', 'positions'],
    ['name,datetime,latitude,longitude\nDock,2025-03-01,1,2\n', 'sites'],
  ]
  for (const [text, kind] of taken) {
    it(`is not one that says where its items are: ${kind}, ${text.split('\n', 1)}`, async () => {
      assert.equal((await imported(kind, text)).accepted, 1)
    })
  }

  it('another shape of place is rejected with the import that takes it', async () => {
    const shape = { type: 'Feature', properties: { name: 'Yard' } }
    const point = { ...shape, geometry: { type: 'Point', coordinates: [2, 41] } }
    const { reasons } = await catalogue('geofences', JSON.stringify(point))
    assert.match(
      reasons.unsupported_geometry!.first[0]!.detail,
      /a geofence must be a Polygon, not a Point; use 'import sites'/,
    )
  })

  it('a file that stored nothing says so', async () => {
    for (const [text, format] of [
      ['ident,name\n', 'csv'],
      ['', 'ndjson'],
    ] as const) {
      const { notes, stopped } = await catalogue('objects', text, { format })
      assert.match(notes.join(), /'c\.\w+' has no rows; nothing was imported/)
      assert.equal(stopped, null)
    }
    await trial.store.objects.ensure(trial.organization.id, ['A1'], NOW)
    const known = 'ident,driver,depot\nA1,Ann,North\n'
    const { notes } = await catalogue('objects', known, { format: 'csv' })
    assert.match(notes.join(), /already exists; these columns were not used: driver, depot/)
    assert.deepEqual((await catalogue('objects', 'ident\nA1\n', { format: 'csv' })).notes, [])
  })
})
