import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importing, NOW } from '../../../testing/imports.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { fixIn } from '../../base/domain/position/position-columns.ts'
import { POSITION_FIELDS } from './position-row.ts'
import { ImportMisuse } from './row.ts'
import { mappingOf } from './tables/column-mapping.ts'

const trial = importing()

type Values = Record<string, AttributeValue>

/** The attributes of all positions of an object, by time. */
async function stored(ident: string): Promise<Values[]> {
  const { store, organization } = trial
  const { ids } = await store.objects.ensure(organization.id, [ident], NOW)
  const object = ids.get(ident)!
  const state = (await store.positions.states(organization.id, [object])).get(object)!
  const range = { from: 0, to: 2 ** 47 }
  const page = await store.positions.history(organization.id, object, range, null)
  const found: Values[] = []
  for await (const block of page.blocks) {
    for (let row = 0; row < block.rows; row += 1) {
      const { attributes } = fixIn(block, row, state.attributes)
      found.push(Object.fromEntries((attributes ?? []).map(({ name, value }) => [name, value])))
    }
  }
  return found
}

const mapping = (attributes: string, map: string | null = null) =>
  mappingOf(map, POSITION_FIELDS, attributes)

describe('The attributes of an imported file', () => {
  it('are columns of CSV that the caller names, with the types that their cells show', async () => {
    await trial.useNew()
    const csv = [
      'ident,time_device,latitude,longitude,Fuel,driver,Door Open',
      'A,2025-03-01T10:00:00Z,41,2,61.50,007,true',
      'A,2025-03-01T10:01:00Z,41,2.1,,Núria,false',
    ].join('\n')
    const { columns, accepted } = await trial.positions(csv, {
      mapping: mapping('fuelLevel=Fuel, driver ,door=door open'),
    })
    assert.equal(accepted, 2)
    assert.deepEqual(columns.used['attributes.fuelLevel'], 'Fuel')
    assert.deepEqual(columns.ignored, [])
    assert.deepEqual(await stored('A'), [
      { door: true, driver: '007', fuelLevel: 61.5 },
      { door: false, driver: 'Núria' },
    ])
    // The choices are kept for later files with the same headings.
    await trial.positions(csv.replaceAll('2025-03-01', '2025-03-02'))
    assert.deepEqual((await stored('A'))[2], { door: true, driver: '007', fuelLevel: 61.5 })
  })

  it('have the decimal commas of their table', async () => {
    await trial.useNew()
    const csv = 'ident;time_device;latitude;longitude;t\nA;2025-03-01T10:00:00Z;41,5;2,5;-18,25\n'
    await trial.positions(csv, { mapping: mapping('t') })
    assert.deepEqual(await stored('A'), [{ t: -18.25 }])
  })

  it('are members of NDJSON and properties of GeoJSON', async () => {
    await trial.useNew()
    const row = { ident: 'A', time_device: '2025-03-01T10:00:00Z', latitude: 41, longitude: 2 }
    const line = JSON.stringify({ ...row, can: { fuel: 40.5, id: '12' }, nested: [1] })
    const given = { mapping: mapping('fuel=can.fuel,id=can.id,nested') }
    const { notes } = await trial.positions(`${line}\n`, { ...given, format: 'ndjson' })
    assert.deepEqual(await stored('A'), [{ fuel: 40.5, id: '12' }])
    assert.match(notes.join('\n'), /some values of attributes .* line 1, of nested/)
    const feature = {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [2, 41] },
      properties: { ident: 'B', time: '2025-03-01T10:00:00Z', battery: 88 },
    }
    const json = JSON.stringify({ type: 'FeatureCollection', features: [feature] })
    await trial.positions(json, { mapping: mapping('battery'), format: 'json' })
    assert.deepEqual(await stored('B'), [{ battery: 88 }])
  })

  it('have all digits of an integer beyond 2^53, in every format', async () => {
    await trial.useNew()
    const [time, given] = ['2025-03-01T10:00:00Z', { mapping: mapping('tag') }]
    const tags = ['1048576000123456788', '1048576000123456789']
    const place = '"latitude":41,"longitude":2'
    const lines = tags.map((tag, minute) => {
      return `{"ident":"A","time_device":"${time.replace(':00Z', `:0${minute}Z`)}",${place},"tag":${tag}}`
    })
    await trial.positions(lines.join('\n'), { ...given, format: 'ndjson' })
    const point = '"type":"Feature","geometry":{"type":"Point","coordinates":[2,41]}'
    // A feature that is too long to be parsed at once.
    const long = Array.from({ length: 3_000 }, (_, n) => `"p${n}":${n}`).join()
    const features = tags.map((tag, minute) => {
      const of = `"ident":"B","time":"${time.replace(':00Z', `:0${minute}Z`)}","tag":${tag},${long}`
      return `{${point},"properties":{${of}}}`
    })
    const collection = `{"type":"FeatureCollection","features":[${features}]}`
    await trial.positions(collection, { ...given, format: 'json' })
    const csv = tags.map((tag, minute) => `C,2025-03-01T10:00:0${minute}Z,41,2,${tag}`)
    await trial.positions(['ident,time_device,latitude,longitude,tag', ...csv].join('\n'), given)
    const messages = tags.map((tag, second) => {
      return `${time}\t*\t{"_type":"location","tid":"D","tst":${1_740_819_600 + second},"lat":41,"lon":2,"tag":${tag}}\n`
    })
    await trial.positions(messages.join(''), { format: 'owntracks' })
    for (const ident of ['A', 'B', 'C', 'D']) {
      assert.deepEqual(
        await stored(ident),
        tags.map((tag) => ({ tag })),
        ident,
      )
    }
  })

  it('are the elements of extensions in GPX that are no fields', async () => {
    await trial.useNew()
    const point = `<trkpt lat="48" lon="11"><time>2025-03-01T10:00:00Z</time><vdop>1</vdop><extensions>
      <a:TrackPointExtension><a:hr>61</a:hr><a:hr>62</a:hr><a:speed>5</a:speed><a:atemp>-2.0</a:atemp></a:TrackPointExtension>
      <power/><surface>gravel</surface></extensions></trkpt>`
    const gpx = `<gpx><wpt lat="1" lon="2"><extensions><hr>5</hr></extensions></wpt>
      <trk><name>A</name><trkseg>${point}</trkseg></trk></gpx>`
    const { columns } = await trial.positions(gpx, { format: 'gpx' })
    assert.deepEqual(await stored('A'), [{ atemp: -2, hr: 61, surface: 'gravel' }])
    assert.deepEqual(columns.ignored, ['vdop'])
    assert.deepEqual(Object.keys(columns.used), [
      'attributes.hr',
      'attributes.atemp',
      'attributes.surface',
    ])
  })

  it('are what the feed takes of an OwnTracks message', async () => {
    await trial.useNew()
    const message =
      '{"_type":"location","tid":"A","tst":1740819600,"lat":41,"lon":2,"batt":46,"conn":"w","acc":9,"inregions":["Home"]}'
    await trial.positions(`2025-03-01T10:00:00Z\t*\t${message}\n`, { format: 'owntracks' })
    assert.deepEqual(await stored('A'), [{ batt: 46, conn: 'w' }])
  })

  it('are shown by a preview', async () => {
    await trial.useNew()
    const csv = 'ident,time_device,latitude,longitude,fuel\nA,2025-03-01T10:00:00Z,41,2,5\n'
    const { rows } = await trial.previewPositions(csv, { mapping: mapping('fuel') })
    assert.equal((rows[0]!.read as Values)['attributes.fuel'], 5)
  })

  it('have columns that exist, in a format that has some', async () => {
    const csv = 'ident,time_device,latitude,longitude\nA,2025-03-01T10:00:00Z,41,2\n'
    await assert.rejects(trial.positions(csv, { mapping: mapping('fuel=Fuel') }), (error) => {
      assert.ok(error instanceof ImportMisuse)
      assert.match(error.message, /^--attribute fuel=Fuel: .* has no column 'Fuel'/)
      return true
    })
    for (const wrong of ['', 'a,,b', 'a=', '=b', 'a,a=b', 'x'.repeat(65)]) {
      assert.throws(() => mapping(wrong), ImportMisuse, wrong)
    }
  })
})
