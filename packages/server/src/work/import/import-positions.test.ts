import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countsOf as allCounts, assertMisuse, importing, NOW } from '../../../testing/imports.ts'
import { ACCURACY_DEFAULTS, OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { Counters } from '../../base/domain/position/fold-state.ts'
import { countersIn, fixIn } from '../../base/domain/position/position-columns.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import type { ImportSummary } from './summary.ts'

const trial = importing()
const { positions, useNew } = trial

/** The rows of each outcome, and those rejected for each reason. */
const countsOf = (summary: ImportSummary) =>
  allCounts(summary, ['accepted', 'duplicate', 'conflict'])

/** An object that shows the counters of its device. */
async function addWithSensors(ident: string): Promise<void> {
  const sensors = { odometerType: 'sensor', engineHoursType: 'sensor' } as const
  const entry = { ...OBJECT_DEFAULTS, ...sensors, ident, name: ident }
  await trial.store.objects.put(trial.organization.id, [entry], NOW)
}

async function fixesOf(ident: string): Promise<Fix[]> {
  return (await positionsOf(ident)).map(({ fix }) => fix)
}

async function positionsOf(ident: string): Promise<{ fix: Fix; counters: Counters }[]> {
  const object = (await trial.store.objects.list(trial.organization.id)).find(
    (each) => each.ident === ident,
  )
  assert.ok(object, `there is an object ${ident}`)
  const range = { from: 0, to: 2 ** 47 }
  const { blocks } = await trial.store.positions.history(
    trial.organization.id,
    object.id,
    range,
    null,
  )
  const found: { fix: Fix; counters: Counters }[] = []
  for await (const block of blocks) {
    for (let row = 0; row < block.rows; row += 1) {
      found.push({ fix: fixIn(block, row), counters: countersIn(block, row) })
    }
  }
  return found
}

const HEADER = 'ident,time,lat,lon,speed\n'

test('every field of a position is read, in its unit', async () => {
  const header =
    'IDENT;time_device;time_server;latitude;longitude;altitude;angle;speed;engine_hours;odometer;mileage;hdop;gps_level;ignition;address'
  const row =
    'A1;2025-03-01 10:00:00+01:00;2025-03-01T09:00:05.250Z;40.4168;-3.7038;667.5;359.99;10;1.5;100;2;0.9;11;on;"Calle Mayor, 1; Madrid"'
  await addWithSensors('A1')
  await positions(`\ufeff${header}\r\n${row}\r\n`, { speedUnit: 'knots', distanceUnit: 'mi' })
  const [position, ...others] = await positionsOf('A1')
  assert.deepEqual(others, [])
  assert.deepEqual(position, {
    fix: {
      timeDevice: Date.UTC(2025, 2, 1, 9),
      timeServer: Date.UTC(2025, 2, 1, 9, 0, 5, 250),
      latitude: 40.4168,
      longitude: -3.7038,
      altitude: 667.5,
      angle: 359.99,
      speed: 18.52,
      engineHours: null,
      odometer: null,
      hdop: 0.9,
      gpsLevel: 11,
      accuracy: null,
      ignition: true,
      corrected: false,
      address: 'Calle Mayor, 1; Madrid',
      attributes: null,
    },
    // The server counts the mileage, regardless of the file.
    counters: { engineHours: 1.5 * HOUR_MS, odometer: 160_934_400, mileage: 0 },
  })
})

test('omitted values are unknown, and the arrival time is now', async () => {
  await positions(`${HEADER}A1,1740819600,1,2,\n`)
  const [fix] = await fixesOf('A1')
  assert.equal(fix!.timeServer, NOW)
  assert.equal(fix!.speed, null)
  assert.equal(fix!.address, null)
})

test('speeds and distances are converted exactly', async () => {
  const kmh = { mps: 36, kmh: 10, mph: 16.09344, knots: 18.52 } as const
  for (const [index, unit] of (['mps', 'kmh', 'mph', 'knots'] as const).entries()) {
    await positions(`${HEADER}A1,${1740819600 + index},1,2,10\n`, { speedUnit: unit })
    assert.equal((await fixesOf('A1')).at(-1)!.speed, kmh[unit])
  }
  const millimetres = { km: 5_000_000, mi: 8_046_720, m: 5_000 } as const
  for (const unit of ['km', 'mi', 'm'] as const) {
    await addWithSensors(`in ${unit}`)
    const text = `ident,time,lat,lon,odometer\nin ${unit},1740819600,1,2,5\n`
    await positions(text, { distanceUnit: unit })
    const [position] = await positionsOf(`in ${unit}`)
    assert.equal(position!.counters.odometer, millimetres[unit])
  }
})

test('a row is rejected for its reason', async () => {
  const time = '2025-03-01T10:00:00Z'
  const rows: [row: string, reason: string][] = [
    [`A1,${time},0,0.0,1`, 'no_fix'],
    [`A1,${time},90.1,0,1`, 'out_of_range'],
    [`A1,${time},1,-180.5,1`, 'out_of_range'],
    ['A1,2025-02-29T10:00:00Z,1,2,1', 'bad_time'],
    ['A1,now,1,2,1', 'bad_time'],
    ['A1,2026-01-02T00:00:01Z,1,2,1', 'in_future'],
    [`,${time},1,2,1`, 'missing_field'],
    ['A1,,1,2,1', 'missing_field'],
    [`A1,${time},,2,1`, 'missing_field'],
    [`A1,${time},1,,1`, 'missing_field'],
    [`A1,${time},north,2,1`, 'bad_number'],
    [`${'A'.repeat(65)},${time},1,2,1`, 'bad_ident'],
    [`A\u200b1,${time},1,2,1`, 'bad_ident'],
    [`A1,${time},1,2`, 'malformed'],
    [`"A1"x,${time},1,2,1`, 'malformed'],
  ]
  const summary = await positions(
    `${HEADER}${rows.map(([row]) => row).join('\n')}\nA1,${time},1,2,3\n`,
  )
  assert.equal(summary.accepted, 1)
  const expected = Map.groupBy(rows.entries(), ([, [, reason]]) => reason)
  for (const [reason, each] of expected) {
    assert.equal(summary.reasons[reason]?.count, each.length, reason)
    const [index, [row]] = each[0]!
    const first = summary.reasons[reason]!.first[0]!
    assert.deepEqual([first.file, first.line, first.text], ['p.csv', index + 2, row])
  }
})

const UNREADABLE = [
  { speed: '0x10' },
  { speed: '4295' },
  { speed: '1.5', ignition: 'maybe' },
  { speed: '1.5', address: 'a\u0007b' },
  { speed: '1.5', time_server: '2025-13-01T00:00:00Z' },
  { speed: '-1' },
]
const COLUMNS = ['ident', 'time', 'lat', 'lon', 'speed', 'ignition', 'address', 'time_server']

test('an optional value that cannot be read is unknown and counted, in CSV and NDJSON alike', async () => {
  const objects = UNREADABLE.map((values, at) => ({
    ...{ ident: 'A1', time: 1_740_819_600 + at, lat: 1, lon: 2 },
    ...values,
  }))
  const lines = objects.map((each: Record<string, unknown>) =>
    COLUMNS.map((column) => each[column] ?? '').join(','),
  )
  const csv = [COLUMNS.join(','), ...lines, ''].join('\n')
  const ndjson = objects.map((each) => JSON.stringify(each)).join('\n')
  for (const [format, text, first] of [
    ['csv', csv, 2],
    ['ndjson', ndjson, 1],
  ] as const) {
    await useNew({})
    const summary = await positions(text, { format, name: `p.${format}` })
    assert.deepEqual(countsOf(summary), { accepted: UNREADABLE.length })
    const fixes = await fixesOf('A1')
    assert.deepEqual(
      fixes.map(({ speed, ignition, address }) => [speed, ignition, address]),
      [null, null, 1.5, 1.5, 1.5, null].map((speed) => [speed, null, null]),
    )
    const counted = (field: string, count: string, line: number) =>
      `${field} counts as unknown in ${count} (the first in line ${line}), because it is unreadable or implausible`
    assert.deepEqual(summary.notes.slice(0, 4), [
      counted('speed', '2 positions', first),
      counted('ignition', '1 position', first + 2),
      counted('address', '1 position', first + 3),
      counted('time_server', '1 position', first + 4),
    ])
  }
})

test('an unknown ident is rejected, or creates its object', async () => {
  const text = `${HEADER}A1,1740819600,1,2,3\nA1,1740819601,1,2,3\nA2,1740819600,0,0,3\n`
  assert.deepEqual(countsOf(await positions(text, { createObjects: false })), {
    unknown_ident: 2,
    no_fix: 1,
  })
  const summary = await positions(text)
  assert.equal(summary.created, 1)
  assert.equal(summary.accepted, 2)
  const objects = await trial.store.objects.list(trial.organization.id)
  assert.deepEqual(
    objects.map(({ ident, name }) => [ident, name]),
    [['A1', 'A1']],
  )
})

test("objects are created up to the organization's limit, and rows of others are rejected", async () => {
  await useNew({ maxObjects: 1 })
  const text = `${HEADER}A1,1740819600,1,2,3\nA2,1740819600,1,2,3\nA1,1740819601,1,2,3\nA2,1740819601,1,2,3\n`
  const summary = await positions(text)
  assert.deepEqual([summary.created, summary.accepted, summary.rejected], [1, 2, 2])
  const { count, first } = summary.reasons.limit_of_objects!
  assert.deepEqual([count, first.map(({ line }) => line)], [2, [3, 5]])
  assert.match(first[0]!.detail, /max_objects of organization \d+ is 1.* org update \d+ --max-obj/)
})

test('an object that another writer created meanwhile is left unchanged', async () => {
  const { store } = trial
  const { objects } = store
  const racing: Store = {
    ...store,
    objects: {
      ...objects,
      async list(id) {
        const before = await objects.list(id)
        const [existing] = before
        if (existing === undefined) {
          await objects.put(id, [{ ...OBJECT_DEFAULTS, ident: 'A1', name: 'Named by hand' }], NOW)
        }
        return before
      },
    },
  }
  const summary = await positions(`${HEADER}A1,1740819600,1,2,3\n`, { store: racing })
  assert.deepEqual([summary.accepted, summary.created], [1, 0])
  const [object] = await objects.list(trial.organization.id)
  assert.equal(object!.name, 'Named by hand')
})

test('a repeated import changes nothing, in any order of its rows', async () => {
  const row = fc.record({
    ident: fc.constantFrom('A1', 'A2', 'A3'),
    time: fc.integer({ min: 1_740_819_600, max: 1_740_819_630 }),
    lat: fc.integer({ min: -2, max: 91 }),
    speed: fc.constantFrom('', '0', '12.5', 'x'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (rows) => {
      await useNew()
      const text = (list: typeof rows) =>
        HEADER + list.map((r) => `${r.ident},${r.time},${r.lat},0,${r.speed}\n`).join('')
      const first = await positions(text(rows))
      const states = await trial.store.positions.states(trial.organization.id)
      const again = await positions(text(rows))
      assert.equal(again.accepted, 0)
      assert.equal(again.rejected, first.rejected)
      assert.equal(again.conflict, first.conflict)
      assert.equal(again.duplicate, first.accepted + first.duplicate)
      const reversed = await positions(text(rows.toReversed()))
      assert.equal(reversed.accepted, 0)
      assert.deepEqual(await trial.store.positions.states(trial.organization.id), states)
    }),
    { numRuns: 25 },
  )
})

test('the better of two rows for one object and time is kept, and the other reported', async () => {
  const [slow, same, fast] = ['A1,1740819600,1,2,3', 'A1,1740819600,1,2,3.0', 'A1,1740819600,1,2,4']
  const summary = await positions(`${HEADER}${slow}\n${same}\n${fast}\n`)
  assert.deepEqual(countsOf(summary), { accepted: 1, duplicate: 1, conflict: 1 })
  assert.equal(summary.duplicates.first[0]!.line, 3)
  assert.equal(summary.conflicts.first[0]!.text, fast)
  const existing = await fixesOf('A1')
  assert.deepEqual(
    existing.map(({ speed }) => speed),
    [4],
  )
  const again = await positions(`${HEADER}${fast}\n${same}\n${slow}\n`)
  assert.deepEqual(countsOf(again), { duplicate: 1, conflict: 2 })
  assert.equal(again.duplicates.first[0]!.text, fast)
  assert.deepEqual(await fixesOf('A1'), existing)
})

test('a fix that the settings of its object reject is rejected for that reason', async () => {
  const entry = {
    ...OBJECT_DEFAULTS,
    ...{ ident: 'A1', name: 'A1' },
    accuracy: { ...ACCURACY_DEFAULTS, maximumHdop: 4, minimumGpsLevel: 5 },
  }
  await trial.store.objects.put(trial.organization.id, [entry], NOW)
  const rows = ['4.01,9', '4,4', '4,5', ',', '10.01,9', '10,4']
  const times = rows.map(
    (row, index) => `${index < 4 ? 'A1' : 'A2'},${1740819600 + index},1,2,${row}`,
  )
  const summary = await positions(`ident,time,lat,lon,hdop,gps_level\n${times.join('\n')}\n`)
  assert.deepEqual(countsOf(summary), {
    ...{ accepted: 3 },
    ...{ hdop_above_maximum: 2, gps_level_below_minimum: 1 },
  })
  const shown = summary.reasons.hdop_above_maximum!.first
  assert.deepEqual(
    shown.map(({ line, text }) => [line, text]),
    [
      [2, times[0]],
      [6, times[4]],
    ],
  )
  const accepted = [...(await fixesOf('A1')), ...(await fixesOf('A2'))]
  assert.deepEqual(
    accepted.map(({ hdop, gpsLevel }) => [hdop, gpsLevel]),
    [
      [4, 5],
      [null, null],
      [10, 4],
    ],
  )
})

test('a file cut anywhere in its last line imports whole rows, and the cut is reported', async () => {
  const text = 'ident,time,lat,lon,speed,note\nA1,1740819600,1,2,3,x\nA1,1740819601,1.5,2.5,3.5,y'
  const lastLine = text.lastIndexOf('\n') + 1
  for (let end = lastLine + 1; end < text.lastIndexOf(',') + 1; end += 1) {
    await useNew()
    const summary = await positions(text.slice(0, end))
    assert.deepEqual(countsOf(summary), { accepted: 1, truncated: 1 })
    assert.ok(summary.truncated)
  }
  assert.equal((await positions(text)).rejected, 0, 'a last line needs no line end')
})

test('a last cell that is invalid because of the cut is not a fault, and a valid one is reported', async () => {
  const header = 'ident,lat,lon,time\n'
  const cut = await positions(`${header}A1,1,2,2025-03-01T10:0`)
  assert.deepEqual(Object.keys(cut.reasons), ['truncated'])
  const perhaps = await positions(`${header}A1,1,2,2025-03-01T10:00`)
  assert.equal(perhaps.accepted, 1)
  assert.match(perhaps.notes.join(), /no line end: if the file was cut off there, its time_device/)
})

test('an input that does not fit the source is rejected before any write', async () => {
  const row = 'A1,1740819600,1,2,3\n'
  await assertMisuse(
    positions(`bus,time,lat,lon,speed\n${row}`),
    /no column for ident .*--map ident/,
  )
  const map = 'ident=nope'
  await assertMisuse(positions(HEADER + row, { map }), /no column 'nope'; it has ident, time/)
  const ndjson = '{"id":"A1","time":1740819600,"lat":1,"lon":2}\n'
  await assertMisuse(positions(ndjson, { format: 'ndjson', map }), /nope/)
  await assertMisuse(positions('', { format: 'gpx', map }), /GPX/)
  assert.deepEqual(await trial.store.objects.list(trial.organization.id), [])
})

test('NDJSON members and nested members are columns, in any order', async () => {
  const text = [
    '{"device":{"imei":867},"time":"2025-03-01T10:00:00Z","lat":1,"lon":"2","ignition":true,"alt":null}',
    '{"lon":2,"lat":1,"time":1740819600123,"device":{"imei":"867"},"speed":5}',
    '',
    '{"lon":2',
    '[1]',
    '{"lat":1,"lon":2,"time":1740819600,"speed":true,"device":{"imei":"867"}}',
    '{"lon":2,"lat":1,"time":17408196',
  ].join('\n')
  const map = 'ident=device.imei'
  const summary = await positions(text, { name: 'p.ndjson', chunk: 7, format: 'ndjson', map })
  assert.deepEqual(countsOf(summary), {
    accepted: 3,
    malformed: 2,
    truncated: 1,
  })
  assert.deepEqual(
    summary.reasons.malformed!.first.map(({ line }) => line),
    [4, 5],
  )
  assert.deepEqual(
    (await fixesOf('867')).map(({ ignition, speed }) => [ignition, speed]),
    [
      [null, null],
      [null, 5],
      [true, null],
    ],
  )
})

const GPX = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
<metadata><time>2025-01-01T00:00:00Z</time></metadata>
<wpt lat="3" lon="4"><time>2025-03-01T09:00:00Z</time><name>Depot</name></wpt>
<trk><name>Müller &amp; Sons</name><trkseg>
<trkpt lat="1.5" lon="2.5"><ele>10.5</ele><time>2025-03-01T10:00:00Z</time><hdop>1.2</hdop><sat>9</sat><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>10</gpxtpx:speed><gpxtpx:course>90.5</gpxtpx:course></gpxtpx:TrackPointExtension></extensions></trkpt>
<trkpt lat="1.6" lon="2.6"><time>2025-03-01T10:00:10Z</time><speed>5</speed><course>91</course></trkpt>
<trkpt lat="1.7" lon="2.7"/>
</trkseg></trk>
</gpx>
`

test('the positions of GPX are its track points, with extensions', async () => {
  const summary = await positions(GPX, { name: 't.gpx', chunk: 13, format: 'gpx' })
  assert.deepEqual(countsOf(summary), { accepted: 2, missing_field: 1 })
  assert.equal(summary.truncated, false)
  const [first, second] = await fixesOf('Müller & Sons')
  assert.deepEqual(
    { ...first, timeServer: 0 },
    {
      timeDevice: Date.UTC(2025, 2, 1, 10),
      timeServer: 0,
      latitude: 1.5,
      longitude: 2.5,
      altitude: 10.5,
      angle: 90.5,
      speed: 36,
      engineHours: null,
      odometer: null,
      hdop: 1.2,
      gpsLevel: 9,
      accuracy: null,
      ignition: null,
      corrected: false,
      address: null,
      attributes: null,
    },
  )
  assert.deepEqual([second!.speed, second!.angle], [18, 91])
  const given = await positions(GPX, { name: 't.gpx', format: 'gpx', ident: 'G1' })
  assert.equal(given.accepted, 2)
})

test('GPX is read as programs write its times and numbers', async () => {
  // The sources are in the trackers of SamR1/FitTrackee#156, yihong0618/running_page#337, osmandapp/OsmAnd#16106 and
  // OpenTracksApp/OpenTracks#774. Phones write -1 for an unknown speed.
  const points = [
    ['2022-03-27T22:32:01.137+02:00', ''],
    ['2022-10-25T23:18:10.175000Z', '<o:bearing>274,1</o:bearing><o:speed>3.5</o:speed>'],
    ['2022-10-25T23:18:11', '<extensions><speed>1</speed></extensions>'],
    ['2022-10-25T23:18:12Z', '<speed>-1</speed><course>-1</course><sat>n/a</sat><hdop>9</hdop>'],
    ['2022-10-25T23:18:13Z', '<ele>-55.6</ele><course>361</course>'],
    // 2,000 m/s are 7,200 km/h, and a record holds 4,294.
    ['2022-10-25T23:18:14Z', '<ele>7</ele><speed>2000</speed>'],
  ].map(([time, more]) => `<trkpt lat="1" lon="2"><time>${time}</time>${more}</trkpt>`)
  const text = `<gpx><trk><name>P1</name><trkseg>${points.join('\n')}</trkseg></trk></gpx>`
  const { accepted, complete, notes } = await positions(text, { name: 't.gpx', format: 'gpx' })
  assert.deepEqual([accepted, complete], [6, true])
  const fixes = await fixesOf('P1')
  assert.deepEqual(
    fixes.map(({ timeDevice, speed, angle, altitude, gpsLevel, hdop }) => [
      ...[new Date(timeDevice).toISOString(), speed, angle, altitude, gpsLevel, hdop],
    ]),
    [
      ['2022-03-27T20:32:01.137Z', null, null, null, null, null],
      ['2022-10-25T23:18:10.175Z', 12.6, 274.1, null, null, null],
      ['2022-10-25T23:18:11.000Z', 3.6, null, null, null, null],
      ['2022-10-25T23:18:12.000Z', null, null, null, null, 9],
      ['2022-10-25T23:18:13.000Z', null, null, -55.6, null, null],
      ['2022-10-25T23:18:14.000Z', null, null, 7, null, null],
    ],
  )
  assert.equal(notes.length, 4)
  for (const element of ['sat', 'course', 'speed']) {
    assert.match(notes.join('\n'), new RegExp(`${element} counts as unknown in 1 pos`))
  }
})

test('GPX reads the same with any chunks, and whole points of a cut file', async () => {
  const whole = await positions(GPX, { name: 't.gpx', format: 'gpx' })
  const again = { ...whole, accepted: 0, duplicate: 2 }
  for (const size of [1, 2, 3, 5, 64]) {
    const summary = await positions(GPX, { name: 't.gpx', chunk: size, format: 'gpx' })
    assert.deepEqual(countsOf(summary), countsOf(again))
  }
  const second = GPX.indexOf('<trkpt lat="1.6"')
  const within = await positions(GPX.slice(0, second + 40), { name: 't.gpx', format: 'gpx' })
  assert.deepEqual(countsOf(within), {
    duplicate: 1,
    truncated: 1,
  })
  const between = await positions(GPX.slice(0, second), { name: 't.gpx', format: 'gpx' })
  assert.equal(between.read, 1)
  assert.ok(between.truncated)
})

test('GPX with a fault, or other XML, stops the reading and is reported', async () => {
  const broken = GPX.replace(
    '</trkpt>\n<trkpt lat="1.6"',
    '</trkpt>\n</trkseg><trkpt lat="1.6"',
  ).replace('<speed>5</speed>', '<speed>5</sped>')
  const summary = await positions(broken, { name: 't.gpx', format: 'gpx' })
  assert.equal(summary.accepted, 1)
  assert.equal(summary.reasons.malformed!.count, 1)
  assert.match(
    summary.stopped!,
    /'t.gpx' is not well-formed XML in line 7, column \d+: .* The rest was not read/,
  )
  const kml = await positions('<kml></kml>', { name: 't.gpx', format: 'gpx' })
  assert.match(kml.stopped!, /not GPX: its root is <kml>/)
  const empty = await positions('', { name: 't.gpx', format: 'gpx' })
  assert.match(empty.stopped!, /is empty/)
})

test('an aborted import ends after its current batch, and accounts for it', async () => {
  const controller = new AbortController()
  async function* endless() {
    yield Buffer.from(HEADER)
    for (let at = 0; ; at += 1) yield Buffer.from(`A1,${1740819600 + at},1,2,3\n`)
  }
  const { signal } = controller
  const summary = await positions(endless(), { signal, progress: () => controller.abort() })
  assert.match(summary.stopped!, /interrupted.*It is safe to run the import again/)
  assert.ok(summary.accepted >= 5000)
  assert.equal(summary.read, summary.accepted)
  assert.equal((await fixesOf('A1')).length, summary.accepted)
})

test('memory does not grow with the rows', async () => {
  const rows = 150_000
  let peak = 0
  async function* generated() {
    yield Buffer.from(HEADER)
    for (let at = 0; at < rows; at += 500) {
      const part = Array.from(
        { length: 500 },
        (_, i) => `A${(at + i) % 50},${1740819600 + ((at + i) % 5000)},1,2,3\n`,
      )
      peak = Math.max(peak, process.memoryUsage().heapUsed)
      yield Buffer.from(part.join(''))
    }
  }
  const begun = process.memoryUsage().heapUsed
  const summary = await positions(generated())
  assert.equal(summary.read, rows)
  assert.ok(peak - begun < 120 * 2 ** 20, `the heap grew by ${(peak - begun) >> 20} MB`)
})
