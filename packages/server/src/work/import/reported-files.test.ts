import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { readPositions } from '../../../testing/read-positions.ts'

// Files as public reports describe them. Each test names the report. No line is anybody's.

const T = Date.UTC(2024, 4, 31, 22, 12, 2)
const ISO = '2024-05-31T22:12:02Z'

/** The numbers of the positions that a file gives to `unit`. */
async function fixesIn(content: string | Buffer, given: Parameters<typeof readPositions>[1]) {
  const read = await readPositions(content, { ident: 'unit', ...given })
  const fixes = read.positions.map(({ fix }) => fix)
  return { ...read, fixes, times: fixes.map(({ timeDevice }) => timeDevice) }
}

const kml = (inside: string) =>
  `<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>${inside}</Document></kml>`
const trackOf = (inside: string) =>
  kml(`<Placemark><name>van</name><gx:Track>${inside}</gx:Track></Placemark>`)

test('OwnTracks: lines of a .rec file, with other messages between them', async () => {
  // Freika/dawarich#464 and #8: nothing was imported. #700: speeds were 3.6 times too high.
  const star = '*'.padEnd(18)
  const fix = '"_type":"location","lat":42.4177,"lon":-71.1777'
  const lines = [
    `${ISO}\t${star}\t{${fix},"tst":${T / 1000},"tid":"CE","acc":5,"vel":72,"alt":12,"cog":90,"batt":85}`,
    `${ISO}\t${star}\t{${fix},"tst":${T / 1000 + 60},"topic":"owntracks/ann/phone","vel":-1,"cog":"x","acc":0}`,
    `${ISO}\t${star}\t{${fix},"tid":"CE"}`,
    `${ISO}\tevent             \t{"_type":"transition","lat":42.4,"lon":-71.1,"tst":1,"event":"enter"}`,
    `${ISO}\tlwt               \t{"_type":"lwt","tst":1717193522}`,
    `${ISO}\t${star}\t{"_type":"encrypted","data":"AAAA"}`,
    `${ISO}\t${star}\tLOST`,
    `${ISO}\t${star}\t{"_type":"location","la`,
  ]
  const read = await readPositions(lines.join('\n'), { format: 'owntracks' })
  assert.deepEqual(
    read.positions.map(({ ident, fix }) => [ident, fix.timeDevice, fix.speed, fix.accuracy]),
    [
      ['CE', T, 72, 5],
      ['owntracks/ann/phone', T + 60_000, null, null],
      ['CE', T, null, null],
    ],
  )
  assert.deepEqual(read.omitted, {
    message_transition: [4],
    message_lwt: [5],
    message_encrypted: [6],
  })
  assert.deepEqual(read.rejected, { malformed: [7], truncated: [8] })
  assert.match(read.notes.join(), /^cog counts as unknown in 1 position \(the first in line 2\), /)
})

test('Records.json: either form of time, missing and lost values, and records of several devices', async () => {
  // dogsheep/google-takeout-to-sqlite#12, nicbou/timeline-old#23, Freika/dawarich#387 and #663,
  // tess1o/geopulse#153: one track jumped between two devices.
  const place = '"latitudeE7":492024663,"longitudeE7":166234415'
  const text = `{"locations": [{
    ${place}, "timestampMs": "${T}", "accuracy": 16
  }, {
    ${place}, "timestamp": "2024-05-31T22:12:03.721Z", "deviceTag": -1055000194, "velocity": 10,
    "heading": -1, "altitude": 99999999999, "activity": [{"timestamp": "2020-09-23T20:59:22.936Z"}]
  }, {
    "latitudeE7": 4242024663, "longitudeE7": 4166234415, "timestamp": "${ISO}", "deviceTag": 7
  }, {
    "timestamp": "${ISO}", "activeWifiScan": {"accessPoints": []}
  }, {
    ${place}, "timestamp": "2024-02-30T00:00:00Z"
  }]}`
  const read = await readPositions(text, {})
  assert.deepEqual(
    read.positions.map(({ ident, fix }) => [ident, fix.latitude, fix.speed, fix.altitude]),
    [
      ['-1055000194', 49.2024663, 36, null],
      ['7', -5.2942633, null, null],
    ],
  )
  assert.deepEqual(read.omitted, { record_without_place: [8] })
  assert.deepEqual(read.rejected, { missing_field: [1, 10] })
  assert.match(
    read.notes.join(),
    /altitude counts as unknown in 1 position \(the first in line 3\)/,
  )
  const given = await fixesIn(text, {})
  assert.deepEqual(given.times, [T, T + 1_721, T])
  assert.deepEqual(given.fixes[2]!.longitude, -12.8732881)
  assert.deepEqual(given.rejected, { bad_time: [10] })
})

test('Timeline.json of Android: paths and signals are in, conclusions are left out', async () => {
  // Freika/dawarich#45. Scarygami/location-history-json-converter#66: the degree sign is mangled.
  const text = `{"semanticSegments": [
    {"startTime": "2024-06-01T00:00:00.000+02:00", "endTime": "2024-06-01T02:00:00.000+02:00",
     "timelinePath": [{"point": "43.775309°, 9.071146°", "time": "2024-06-01T00:12:02.000+02:00"}]},
    {"startTime": "${ISO}", "endTime": "${ISO}", "visit": {"topCandidate": {"placeLocation": {"latLng": "1°, 2°"}}}},
    {"startTime": "${ISO}", "endTime": "${ISO}", "activity": {"start": {"latLng": "1°, 2°"}}}
  ], "rawSignals": [
    {"position": {"LatLng": "-35.05Â°, 135.67Â°", "accuracyMeters": 13, "altitudeMeters": 40.5, "source": "WIFI", "timestamp": "2024-06-01T00:12:03.000+02:00", "speedMetersPerSecond": 2.5}},
    {"position": {"LatLng": "(lost)", "timestamp": "${ISO}"}},
    {"activityRecord": {"timestamp": "${ISO}"}},
    {"wifiScan": {"deliveryTime": "${ISO}"}}
  ], "userLocationProfile": {"frequentPlaces": [{"placeLocation": "1°, 2°"}]}}`
  const read = await fixesIn(text, {})
  assert.deepEqual(read.times, [T, T + 1000])
  const [path, signal] = read.fixes
  assert.deepEqual([path!.latitude, path!.longitude], [43.775309, 9.071146])
  const { latitude, longitude, accuracy, altitude, speed } = signal!
  assert.deepEqual([latitude, longitude, accuracy, altitude, speed], [-35.05, 135.67, 13, 40.5, 9])
  const omitted = { visit: [4], activity: [5], activity_record: [9], wifi_scan: [10] }
  assert.deepEqual(read.omitted, omitted)
  assert.deepEqual(read.rejected, { bad_number: [8] })
  await assert.rejects(
    readPositions(text, {}),
    /does not name the device of its positions; use --ident/,
  )
})

test('location-history.json of an iPhone: minutes count from the start of the segment', async () => {
  // Freika/dawarich#1024 and #2437: "Unable to detect file format". cpesch/RouteConverter#351.
  const start = new Date(T - 7 * 60_000).toISOString()
  const text = `[
    {"endTime": "${ISO}", "startTime": "${start}", "timelinePath": [
      {"point": "geo:49.1,6.2", "durationMinutesOffsetFromStartTime": "7"},
      {"point": "geo:49.2,6.3", "durationMinutesOffsetFromStartTime": 8},
      {"point": "geo:49.3,6.4"}]},
    {"endTime": "${ISO}", "startTime": "${start}", "visit": {"topCandidate": {"placeLocation": "geo:1,2"}}},
    {"endTime": "${ISO}", "startTime": "${start}", "timelineMemory": {"destinations": []}}
  ]`
  const read = await fixesIn(text, {})
  assert.deepEqual(read.times, [T, T + 60_000])
  assert.deepEqual(read.rejected, { missing_field: [2] })
  assert.deepEqual(read.omitted, { visit: [6], timeline_memory: [7] })
})

test('Semantic Location History: the raw path of an activity is in', async () => {
  // Freika/dawarich#773 gave a file of this family to the importer of the other.
  const point = `{"latE7":501000000,"lngE7":-1000000,"accuracyMeters":9,"timestamp":"${ISO}"}`
  const text = `{"timelineObjects":[{"activitySegment":{"simplifiedRawPath":{"points":[${point}]}}},{"placeVisit":{"location":{"latitudeE7":1}}}]}`
  const read = await fixesIn(text, {})
  const [fix] = read.fixes
  assert.deepEqual([fix!.latitude, fix!.longitude, fix!.accuracy], [50.1, -0.1, 9])
  assert.deepEqual(read.omitted, { place_visit: [1] })
})

test('GPSLogger: GeoJSON of fixes of the network, which lack speed and bearing', async () => {
  // Freika/dawarich#728: the import failed. #1631: speeds were shown 3.6 times too low.
  const at = '"geometry":{"type":"Point","coordinates":[7.1123456,32.1234567]}}'
  const text = `{"type": "FeatureCollection","features": [
{"type": "Feature","properties":{"time":"${ISO}","provider":"network","time_long":${T},"accuracy":16.258,"altitude":150.50001525878906},${at}
,{"type": "Feature","properties":{"time":"2024-06-01T00:13:02.000+02:00","provider":"gps","time_long":1,"speed":10,"bearing":"NaN","accuracy":-3},${at}
,{"type": "Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}
]}`
  const read = await fixesIn(text, {})
  assert.deepEqual(read.times, [T, T + 60_000])
  const [network, gps] = read.fixes
  assert.deepEqual([network!.speed, network!.accuracy], [null, 16.258])
  assert.deepEqual([gps!.speed, gps!.angle, gps!.accuracy], [36, null, null])
  assert.deepEqual(read.omitted, { line_string: [4] })
  assert.deepEqual((await fixesIn(text, { speedUnit: 'knots' })).fixes[1]!.speed, 18.52)
})

test('GeoJSON of other programs: seconds, idents of devices, points without times', async () => {
  // dedicatedcode/reitti#369: '1755989844' was no time. Freika/dawarich#3473: points without times came in.
  const feature = (properties: string) =>
    `{"type":"Feature","geometry":{"type":"Point","coordinates":[7,32,88]},"properties":{${properties}}}`
  const dawarich = `"timestamp":${T / 1000},"velocity":"10","tracker_id":"A1"`
  const text = `{"features":[${feature(dawarich)},${feature('"tracker_id":"A1"')}],"type":"FeatureCollection"}`
  const read = await readPositions(text, {})
  assert.deepEqual(
    read.positions.map(({ ident, fix }) => [ident, fix.timeDevice, fix.speed, fix.altitude]),
    [['A1', T, 36, 88]],
  )
  assert.deepEqual(read.rejected, { missing_field: [1] })
  // Overland has features under the name of Google's records.
  const overland = `{"locations":[${feature(`"timestamp":"${ISO}","device_id":"p","horizontal_accuracy":-1`)}]}`
  assert.deepEqual((await readPositions(overland, {})).positions[0]!.ident, 'p')
})

test('the own GeoJSON has km/h, and its odometer in the unit of the organization', async () => {
  const properties = `"ident":"A1","time_device":"${ISO}","speed":36,"odometer":10,"engine_hours":null`
  const feature = `{"type":"Feature","geometry":{"type":"Point","coordinates":[7,32]},"properties":{${properties}}}`
  const { positions } = await readPositions(
    `{"type":"FeatureCollection","features":[${feature}]}`,
    {},
  )
  const { speed, odometer } = positions[0]!.fix
  assert.deepEqual([speed, odometer], [36, 16.09344])
})

test('JSON of one object on each line is read as before, under the name of any JSON file', async () => {
  const row = (at: number) => `{"ident":"A1","time":${T / 1000 + at},"lat":1,"lon":2,"speed":10}\n`
  const read = await readPositions(row(0) + row(1), { chunk: 10 })
  assert.deepEqual(
    read.positions.map(({ fix }) => fix.speed),
    [10, 10],
  )
  await assert.rejects(readPositions('[{"ident":"A1"}]', {}), /is a JSON array/)
  assert.match(
    (await readPositions(`{"a":"${'x'.repeat(5 << 20)}`, {})).stopped!,
    /is neither GeoJSON/,
  )
})

test('KML: times and places in turns, in two lists, and with empty places', async () => {
  // mendhak/gpslogger#1335 and OpenTracksApp/OpenTracks#587.
  const [one, two] = [`<when>${ISO}</when>`, '<when>2024-05-31T22:13:02Z</when>']
  const place = (text: string) => `<gx:coord>${text}</gx:coord>`
  const turns = await readPositions(
    trackOf(`${one}${place('24.1 67.6 254')}${two}${place('24.2 67.7 -1')}`),
    { format: 'kml' },
  )
  assert.deepEqual(
    turns.positions.map(({ ident, fix }) => [ident, fix.longitude, fix.latitude, fix.altitude]),
    [
      ['van', 24.1, 67.6, 254],
      ['van', 24.2, 67.7, -1],
    ],
  )
  const values = '<value>1</value><value>x</value>'
  const extended = `<ExtendedData><SchemaData><SimpleArrayData name="speed">${values}</SimpleArrayData></SchemaData></ExtendedData>`
  const lists = `${one}${two}${place('')}${place('24.2,67.7')}<gx:angles>0 0 0</gx:angles><gx:angles>90 0 0</gx:angles>${extended}`
  const read = await fixesIn(trackOf(lists), { format: 'kml' })
  assert.deepEqual(read.times, [T + 60_000])
  assert.deepEqual([read.fixes[0]!.angle, read.fixes[0]!.speed], [90, null])
  assert.match(read.notes.join(), /^speed counts as unknown in 1 position/)
  // OpenTracksApp/OpenTracks#315: pauses are at 180, 100.
  const pause = await fixesIn(trackOf(`${one}${place('180 100')}`), { format: 'kml' })
  assert.deepEqual(pause.rejected, { out_of_range: [1] })
})

test('KML: what has no times is left out, with the reason', async () => {
  // GPSBabel/gpsbabel#55: more places than times. Freika/dawarich#3120: Traccar writes a LineString.
  const place = '<gx:coord>24.1 67.6</gx:coord>'
  const untimed = await fixesIn(trackOf(place + place), { format: 'kml' })
  assert.deepEqual([untimed.times, untimed.omitted], [[], { track: [1] }])
  const unequal = await fixesIn(trackOf(`<when>${ISO}</when>${place}${place}`), { format: 'kml' })
  assert.deepEqual([unequal.times, unequal.omitted], [[], { track: [1] }])
  const line = '<LineString><coordinates>24.1,67.6,254 24.2,67.7,250</coordinates></LineString>'
  const traccar = kml(
    `<Placemark><name>2026-03-09 22:00 - 2026-03-10 21:59</name>${line}</Placemark>\n<Placemark><Point/></Placemark>`,
  )
  assert.deepEqual((await fixesIn(traccar, { format: 'kml' })).omitted, {
    line_string: [1],
    point: [2],
  })
})

test('KML: a point with a time stamp is a position, and one without is left out', async () => {
  // GPSLogger writes what its user notes as points without times, before the track of the same places.
  const at = (name: string, when: string, text: string, data = '') =>
    `<Placemark><name>${name}</name>${when}${data}<Point><coordinates>${text}</coordinates></Point></Placemark>\n`
  const stamp = `<TimeStamp><when>${ISO}</when></TimeStamp>`
  const data = '<ExtendedData><Data name="speed"><value>10</value></Data></ExtendedData>'
  const drive = `<Placemark><gx:Track>\n<when>2024-05-31T22:13:02Z</when><gx:coord>7 32 88</gx:coord></gx:Track></Placemark>`
  const text = kml(at('Break', '', '7,32,88') + at('van', stamp, ' 7.5, 32.5 , 90 ', data) + drive)
  for (const chunk of [1, 1 << 16]) {
    const read = await fixesIn(text, { format: 'kml', chunk })
    assert.deepEqual([read.times, read.omitted], [[T, T + 60_000], { point: [1] }])
    const { longitude, latitude, altitude, speed } = read.fixes[0]!
    assert.deepEqual([longitude, latitude, altitude, speed], [7.5, 32.5, 90, 36])
  }
  const wrong = kml(
    at('van', stamp, '7.5') + at('van', '<TimeStamp><when>x</when></TimeStamp>', '1,2'),
  )
  assert.deepEqual((await fixesIn(wrong, { format: 'kml' })).rejected, {
    missing_field: [1],
    bad_time: [2],
  })
})

/** A ZIP file of entries: name, content, and whether the sizes come after the content. */
function zipOf(entries: readonly [name: string, content: string, sizesFollow: boolean][]): Buffer {
  return Buffer.concat(
    entries.flatMap(([name, content, sizesFollow]) => {
      const packed = deflateRawSync(content)
      const header = Buffer.alloc(30)
      header.writeUInt32LE(0x04034b50, 0)
      header.writeUInt16LE(sizesFollow ? 8 : 0, 6)
      header.writeUInt16LE(8, 8)
      if (!sizesFollow) header.writeUInt32LE(packed.length, 18)
      header.writeUInt16LE(name.length, 26)
      return [header, Buffer.from(name), packed, Buffer.alloc(sizesFollow ? 16 : 0)]
    }),
  )
}

test('KMZ: the KML in it is read, in pieces of any size, and its head alone', async () => {
  // Freika/dawarich#3046: a zipped file gave 0 points.
  const text = trackOf(`<when>${ISO}</when><gx:coord>24.1 67.6</gx:coord>`)
  const given = { format: 'kml', name: 'day.kmz' } as const
  const stops = async (file: Buffer, message: RegExp, name = 'day.kmz') =>
    assert.match((await fixesIn(file, { ...given, name })).stopped!, message)
  const forms = [
    zipOf([
      ['doc.kml', text, true],
      ['images/a.png', 'x', true],
    ]),
    zipOf([
      ['images/a.png', 'x', false],
      ['files/Day.KML', text, false],
    ]),
  ]
  for (const file of forms) {
    for (const chunk of [1, 7, 1 << 16]) {
      assert.deepEqual((await fixesIn(file, { ...given, chunk })).times, [T])
    }
  }
  await stops(forms[0]!.subarray(0, 120), /the file is cut off/)
  const late = zipOf([
    ['a.png', 'x', true],
    ['doc.kml', text, true],
  ])
  await stops(late, /first entry is not a KML; unpack it/)
  await stops(zipOf([['a.png', 'x', false]]), /not a KMZ with a KML inside/)
  await stops(forms[0]!, /or unpack it/, 'day.kml')
})
