import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertMisuse, importing } from '../../../testing/imports.ts'
import { readPositions } from '../../../testing/read-positions.ts'
import type { PositionOptions } from './import-positions.ts'

const trial = importing()

/** The times of a table of one object. */
async function timesOf(times: readonly string[], given: Partial<PositionOptions> = {}) {
  const rows = times.map((time, at) => `A1,${time},52.${at},13.4\n`)
  return readTimes(`imei,time,lat,lon\n${rows.join('')}`, { format: 'csv', ...given })
}

async function readTimes(text: string, given: Parameters<typeof readPositions>[1]) {
  const read = await readPositions(text, given)
  const times = read.positions.map(({ fix }) => new Date(fix.timeDevice).toISOString())
  return { ...read, times }
}

describe('A time of a file', () => {
  it('is 24:00, the end of a day, in each form', async () => {
    const { times, rejected } = await timesOf([
      '2025-02-28 24:00:00',
      '2025-12-31T24:00Z',
      '2025-12-31T24:00:00.000+01:00',
      '31.10.2025 24:00',
      '2025-12-31 24:00:01',
    ])
    assert.deepEqual(times, [
      '2025-03-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
      '2025-12-31T23:00:00.000Z',
      '2025-11-01T00:00:00.000Z',
    ])
    assert.deepEqual(rejected, { bad_time: [6] })
    const split = 'imei,date,time,lat,lon\nA1,2025-10-31,24:00,1,2\nA1,2025-10-31,08:00,1,2\n'
    const joined = await readTimes(split, { format: 'csv' })
    assert.deepEqual(joined.times, ['2025-11-01T00:00:00.000Z', '2025-10-31T08:00:00.000Z'])
  })

  it('is an epoch in seconds, milliseconds, microseconds or nanoseconds', async () => {
    const moment = '2025-11-20T09:59:00.123Z'
    const { times } = await timesOf([
      '1763632740.123',
      '1763632740123',
      '1763632740123456',
      '1763632740123456789',
    ])
    assert.deepEqual(times, [moment, moment, moment, moment])
    const line = '{"ident":"A1","time_device":1763632740123456789,"latitude":1,"longitude":2}'
    const ndjson = await readTimes(line, { format: 'ndjson' })
    assert.deepEqual(ndjson.times, [moment])
  })
})

describe('An hour that clocks repeat in autumn', () => {
  const BERLIN = { timezone: 'Europe/Berlin' }
  /** Local times of 26 October 2025, and those in UTC. 02:00 to 03:00 comes twice. */
  const local = (...clocks: string[]) => clocks.map((clock) => `2025-10-26 ${clock}`)
  const utc = (...clocks: string[]) => clocks.map((clock) => `2025-10-26T${clock}:00.000Z`)

  it('is read in the order of the rows, and noted', async () => {
    const rising = local('01:40', '02:00', '02:20', '02:40', '02:00', '02:20', '02:40', '03:00')
    const { times, notes } = await timesOf(rising, BERLIN)
    const expected = utc('00:00', '00:20', '00:40', '01:00', '01:20', '01:40', '02:00')
    assert.deepEqual(times, ['2025-10-25T23:40:00.000Z', ...expected])
    assert.match(notes.join(), /'file' has 3 rows in the hour that Europe\/Berlin repeats/)
    const falling = await timesOf(rising.toReversed(), BERLIN)
    assert.deepEqual(falling.times, times.toReversed())
  })

  it('is the first pass where the order shows nothing, or is that of a device with late rows', async () => {
    const alone = await timesOf(local('02:30'), BERLIN)
    assert.deepEqual([alone.times, alone.notes], [utc('00:30'), []])
    const late = await timesOf(local('02:10', '02:09', '02:11', '01:00', '02:12'), BERLIN)
    assert.deepEqual(late.times.slice(0, 3), utc('00:10', '00:09', '00:11'))
    assert.deepEqual(late.times.at(-1), utc('00:12')[0])
  })

  it('belongs to each object alone', async () => {
    const text = `imei,time,lat,lon
A,2025-10-26 02:50,1,2
B,2025-10-26 02:10,1,2
A,2025-10-26 02:10,1,2
B,2025-10-26 02:20,1,2
`
    const { times } = await readTimes(text, { format: 'csv', ...BERLIN })
    assert.deepEqual(times, utc('00:50', '00:10', '01:10', '00:20'))
  })
})

describe('A line in GeoJSON', () => {
  const T = ['2025-11-20T10:00:00Z', '2025-11-20T10:01:00Z']
  const line = (geometry: object, properties: object) =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', geometry, properties }],
    })
  const COORDINATES = [
    [13.4, 52.5, 30],
    [13.5, 52.6, 31],
  ]
  const LINE = { type: 'LineString', coordinates: COORDINATES }

  it('has a position for each of its times, wherever programs write them', async () => {
    const forms: [string, object][] = [
      // placemark/togeojson before and since 5.0.
      [line(LINE, { coordTimes: T, time: T[0], name: 'A' }), {}],
      [line(LINE, { coordinateProperties: { times: T, speed: [10, 20] } }), { speed: 36 }],
      [line({ type: 'MultiLineString', coordinates: [COORDINATES] }, { coordTimes: [T] }), {}],
      // Trajectory of OGC MF-JSON, LeafletPlayback, and a trip of Kepler.gl.
      [line(LINE, { datetimes: T }), {}],
      [line({ ...LINE, type: 'MultiPoint' }, { time: T.map((time) => Date.parse(time)) }), {}],
      [
        line(
          {
            ...LINE,
            coordinates: COORDINATES.map((each, at) => [...each, Date.parse(T[at]!) / 1000]),
          },
          {},
        ),
        {},
      ],
    ]
    for (const [text, expected] of forms) {
      const { positions, omitted } = await readPositions(text, { ident: 'unit' })
      assert.deepEqual(omitted, {})
      const { fix } = positions[0]!
      assert.deepEqual(
        positions.map((each) => each.fix.timeDevice),
        T.map((time) => Date.parse(time)),
        text,
      )
      assert.deepEqual([fix.latitude, fix.longitude, fix.altitude], [52.5, 13.4, 30])
      assert.deepEqual({ ...fix, ...expected }, fix)
    }
  })

  it('is left out if it does not have a time for each position', async () => {
    const { omitted } = await readPositions(line(LINE, { coordTimes: [T[0]] }), { ident: 'unit' })
    assert.deepEqual(omitted, { line_string: [1] })
    const summary = await trial.positions(line(LINE, { coordTimes: [T[0]] }), {
      ident: 'unit',
      format: 'json',
    })
    const [shown] = summary.omitted.line_string!.first
    assert.equal(shown!.detail, 'its properties do not have a time for each of its coordinates')
  })
})

describe('Two equal headings', () => {
  const table = (second: string) =>
    `imei,time,lat,lon,speed,speed\nA1,1740819600,1,2,50,${second}\nA1,1740819660,1,2,51,51\n`

  it('are one column if they have the same values', async () => {
    assert.equal((await trial.positions(table('50'))).accepted, 2)
  })

  it('are asked about if they do not, and each has a name', async () => {
    const message =
      /several columns named 'speed': the second is 'speed \(2\)'; choose one with --map speed=COLUMN/
    await assertMisuse(trial.positions(table('49')), message)
    const { rivals } = await trial.previewPositions(table('49'))
    assert.deepEqual(rivals, { field: 'speed', columns: ['speed', 'speed (2)'] })
    const speedOf = async (map: string) => {
      const { rows } = await trial.previewPositions(table('49'), { map })
      return (rows[0]!.read as Record<string, unknown>).speed
    }
    assert.deepEqual([await speedOf('speed=speed'), await speedOf('speed=speed (2)')], [50, 49])
  })
})

describe('A file of Google without positions', () => {
  it('is refused, with the name of the one that has them', async () => {
    const files = {
      'Timeline Edits.json': '{"timelineEdits": [{"deviceId": "1", "placeAggregates": {}}]}',
      'Settings.json': '{"createdTime": "2025-01-01T00:00:00Z", "deviceSettings": []}',
      'MyActivity.json': '[{"header": "Maps", "title": "Used Maps", "products": ["Maps"]}]',
    }
    for (const [name, text] of Object.entries(files)) {
      await assertMisuse(
        trial.positions(text, { name, format: 'json', ident: 'unit' }),
        /^'.*' is the part of Google's export without positions; import its Records\.json, or the Timeline\.json/,
      )
    }
  })
})
