import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertMisuse, countsOf, importing } from '../../../testing/imports.ts'
import { readPositions } from '../../../testing/read-positions.ts'
import { HOURS_IN_MILLISECOND, KMH_IN_KNOT } from '../../base/domain/position/field.ts'
import { isFault } from './row.ts'

const trial = importing()
const { positions, previewPositions, catalogue } = trial

const HEADER = 'imei,time,lat,lon'
const minute = (at: number) => `2025-11-27T08:${String(at).padStart(2, '0')}:00Z`

/** A table of one object: a row for each list of further cells. */
const table = (headings: string, ...rows: string[]) =>
  [
    `${HEADER},${headings}`,
    ...rows.map((cells, at) => `A1,${minute(at)},52.${at},13.4,${cells}`),
    '',
  ].join('\n')

/** The positions of Traccar's API as CSV (traccar/traccar#2961). Its third position is not valid. */
const TRACCAR = `id,deviceId,protocol,serverTime,deviceTime,fixTime,valid,latitude,longitude,altitude,speed,course,address,accuracy,odometer,hours,totalDistance,ignition
101,7,teltonika,2025-11-27T08:00:01.000+00:00,2025-11-27T08:00:00.000+00:00,2025-11-27T08:00:00.000+00:00,true,52.5,13.4,30.0,0.0,0.0,,0.0,83795980,19826622000,5.5,true
102,7,teltonika,2025-11-27T08:01:01.000+00:00,2025-11-27T08:01:00.000+00:00,2025-11-27T08:01:00.000+00:00,true,52.508,13.4,30.0,27.0,0.0,,0.0,83796870,19826682000,5.5,true
103,7,teltonika,2025-11-27T08:02:01.000+00:00,2025-11-27T08:02:00.000+00:00,2025-11-27T08:02:00.000+00:00,false,48.1,11.5,30.0,27.0,0.0,,0.0,83796870,19826682000,5.5,true
`

describe('A table of positions of Traccar', () => {
  it('asks for the ident, because its deviceId is a number of its own', async () => {
    const message = /its deviceId is a number of Traccar.*; use --ident IDENT or --map ident=/
    await assertMisuse(positions(TRACCAR), message)
    await assertMisuse(positions(TRACCAR, { map: 'time_device=fixTime' }), message)
    const named = await positions(TRACCAR, { map: 'ident=deviceId' })
    assert.deepEqual([named.columns.used.ident, named.created], ['deviceId', 1])
  })

  it('has meters, milliseconds and knots, and no fix where it is not valid', async () => {
    const { positions: read, rejected } = await readPositions(TRACCAR, {
      format: 'csv',
      ident: '868',
    })
    assert.deepEqual(
      read.map(({ fix }) => [fix.odometer, fix.engineHours, fix.speed]),
      [
        [83_795.98, 19_826_622_000 * HOURS_IN_MILLISECOND, 0],
        [83_796.87, 19_826_682_000 * HOURS_IN_MILLISECOND, 27 * KMH_IN_KNOT],
      ],
    )
    assert.deepEqual(rejected, { no_fix: [4] })
  })

  it('has no odometer in totalDistance, unless a caller maps it', async () => {
    const text = TRACCAR.replace(',odometer,', ',sensor,')
    const { columns, notes } = await positions(text, { ident: '868' })
    assert.ok(columns.ignored.includes('totalDistance'))
    assert.deepEqual(notes, [])
    const mapped = await positions(text, { ident: '869', map: 'odometer=totalDistance' })
    assert.equal(mapped.columns.used.odometer, 'totalDistance')
  })
})

describe('A column that says whether there was a fix', () => {
  const words = (heading: string, ...cells: string[]) => positions(table(heading, ...cells))

  it('voids a row by yes and no, by the words of receivers, and by numbers', async () => {
    const summary = await words('valid', 'true', 'FALSE', '1', '0', 'A', 'V', 'SPS', 'No fix', '')
    assert.deepEqual(countsOf(summary, ['accepted', 'created']), {
      accepted: 5,
      created: 1,
      no_fix: 4,
    })
    assert.match(
      summary.reasons.no_fix!.first[0]!.detail,
      /valid says that the device had no GPS fix/,
    )
    assert.equal(summary.complete, false)
  })

  it('is the column visible of Movebank, where a row was marked as wrong', async () => {
    // inbo/bird-tracking#105
    const text = `event-id,visible,timestamp,location-long,location-lat,ground-speed,heading,individual-local-identifier
1,true,2025-11-27 08:00:00.000,13.4,52.5,1.2,90,Fox 1
2,false,2025-11-27 08:05:00.000,14.9,53.5,1.2,90,Fox 1
`
    const summary = await positions(text)
    assert.deepEqual(countsOf(summary, ['accepted', 'created']), {
      accepted: 1,
      created: 1,
      no_fix: 1,
    })
  })

  it('costs no fix if it cannot be read, and is noted', async () => {
    const { accepted, notes } = await words('gps_valid', 'perhaps')
    assert.equal(accepted, 1)
    assert.match(notes.join(), /^valid counts as unknown in 1 position \(the first in line 2\)/)
  })

  it('counts in NDJSON too', async () => {
    const line = { imei: 'A1', time: minute(0), lat: 1, lon: 2, valid: false }
    const summary = await positions(JSON.stringify(line), { format: 'ndjson' })
    assert.deepEqual(countsOf(summary, ['accepted']), { no_fix: 1 })
  })
})

describe('A cell that a spreadsheet must leave as a text', () => {
  it('is the text in it', async () => {
    // JnLlnd/ObjCSV#10
    const rows = ['"=""086830261234567"""', '="086830261234567"', "'086830261234567"]
    const text = `\ufeffident,time_device,latitude,longitude\n${rows
      .map((ident, at) => `${ident},${minute(at)},52.5,13.4`)
      .join('\n')}`
    const { created, accepted } = await positions(text)
    assert.deepEqual([created, accepted], [1, 3])
    const objects = await catalogue(
      'objects',
      '\ufeffname,ident\n"=""12-03""","=""086830261234567"""\n\'t Hooft,\'0099\n',
      { format: 'csv' },
    )
    assert.deepEqual([objects.created, objects.updated], [1, 1])
    const stored = await trial.store.objects.list(trial.organization.id)
    assert.deepEqual(
      stored.map(({ ident, name }) => [ident, name]),
      [
        ['086830261234567', '12-03'],
        ['0099', "'t Hooft"],
      ],
    )
  })
})

describe('The unit of a number', () => {
  const speedOf = async (heading: string) => {
    const { rows, problem } = await previewPositions(table(heading, '10'))
    assert.equal(problem, null)
    const { read } = rows[0]!
    return isFault(read) ? read : read.speed
  }

  it('is any spelling in the heading of a speed', async () => {
    const spellings = {
      36: 'Speed (m/s),speed_mps,speed_ms,speed_m_s,Speed [m s-1],Speed (meters per second),Velocity m/sec,speedMps',
      10: 'Speed,speed_kmh,Speed (km/hr),Speed KPH,SPEED(KMPH),Speed in km/h,speed_km_h,Geschwindigkeit (km/Std.),Kilometers per hour,kph',
      16.09344: 'mph,Speed (mi/h),speedMph,Speed (Miles per Hour),GPS speed mph,speed-mph',
      18.52: 'Speed (kts),speed_knots,speedKn,Speed (nmi/h),Vitesse (nœuds),speed kt',
    }
    for (const [expected, headings] of Object.entries(spellings)) {
      for (const heading of headings.split(',')) {
        assert.equal(await speedOf(heading), Number(expected), heading)
      }
    }
  })

  it('is feet of an altitude, and seconds of engine hours', async () => {
    const [row] = (await previewPositions(table('altitude_ft,Engine hours (s)', '100,36000'))).rows
    const { altitude, engine_hours } = row!.read as Record<string, unknown>
    assert.deepEqual([altitude, engine_hours], [30.48, 10])
  })
})

describe('A column that looks like a speed, a distance or a time', () => {
  it('is noted if it was not read', async () => {
    const { notes } = await positions(table('Max speed,Trip distance,Driver', '80,7,Ann'))
    assert.deepEqual(notes, [
      'not read, although they look like speeds, distances or times: Max speed, Trip distance; --map FIELD=COLUMN reads one',
    ])
  })
})

describe('A number a thousand times beyond what it can be', () => {
  const refused = (text: string, message: RegExp) => assertMisuse(positions(text), message)
  const ANSWER = /\. --distance-unit m reads meters; --distance-unit km or mi stores it as it is$/

  it('asks for the unit: an odometer of a million kilometers', async () => {
    const metres = table('odometer', '83795980', '83796870', '83797760')
    await refused(metres, /^'p.csv': odometer is 83,796,870 km in line 3\. --distance-unit m/)
    await refused(metres, ANSWER)
    assert.equal((await trial.store.objects.list(trial.organization.id)).length, 0)
    assert.equal((await positions(metres, { distanceUnit: 'm' })).accepted, 3)
    const again = await positions(table('odometer', '83798780', '83798790'))
    assert.match(again.notes[0]!, /distance unit m$/)
  })

  it('asks for the unit: a counter that rises faster than any vehicle drives', async () => {
    const text = table('odometer', '5980', '6870', '6870', '7760')
    await refused(text, /odometer rises by 53,400 km an hour in line [35]/)
    assert.equal((await positions(text, { distanceUnit: 'km' })).accepted, 4)
    await refused(
      table('engine_hours', '19826.6', '19886.6', '19946.6'),
      /engine_hours rises by 3,600 h an hour in line 3\. Name its unit in its heading/,
    )
  })

  it('asks for one value among others', async () => {
    const text = table('odometer', '83795.98', '83796.87', '83797770', '83798.65')
    await refused(text, /odometer is 83,797,770 km in line 4, but far less in the lines before/)
  })

  it('does not ask where a device restarts its counter, or has one error value', async () => {
    const restarted = await positions(table('odometer', '83795.98', '0', '0.4', '0.9', '1.4'))
    assert.equal(restarted.accepted, 5)
    const installed = await positions(table('odometer', '0.1', '83795.98'), {})
    assert.deepEqual([installed.rejected, installed.stopped], [0, null])
  })
})
