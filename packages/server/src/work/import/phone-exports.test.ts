import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type GivenFile, READ_AT, readPositions } from '../../../testing/read-positions.ts'
import type { PositionFormat } from '../../base/domain/import-formats.ts'
import { bareFix, type Fix } from '../../base/domain/position/fix.ts'

const E7 = 1e7
const MPS = 3.6

/** A fix in the resolution of phones: whole E7 degrees, whole seconds, whole meters. */
type Sample = {
  time: number
  latitude: number
  longitude: number
  speed: number | null
  altitude: number | null
  accuracy: number | null
  angle: number | null
}

const sample: fc.Arbitrary<Sample> = fc.record({
  time: fc.integer({ min: 1_200_000_000, max: 1_760_000_000 }).map((seconds) => seconds * 1000),
  latitude: fc.integer({ min: 1, max: 89 * E7 }).map((e7) => e7 / E7),
  longitude: fc.integer({ min: -179 * E7, max: 179 * E7 }).map((e7) => e7 / E7),
  speed: fc.option(fc.integer({ min: 0, max: 90 })),
  altitude: fc.option(fc.integer({ min: -400, max: 8000 })),
  accuracy: fc.option(fc.integer({ min: 1, max: 3000 })),
  angle: fc.option(fc.integer({ min: 0, max: 359 })),
})

type FieldsOfFormat = readonly ('speed' | 'altitude' | 'accuracy' | 'angle')[]

type Form = {
  format: PositionFormat
  /** The fields that the format has. */
  has: FieldsOfFormat
  /** Whether the file itself names the object, which is `unit 1` then. */
  names: boolean
  write(samples: readonly Sample[]): string
}

const iso = (time: number) => new Date(time).toISOString()
const json = (value: unknown) => JSON.stringify(value, null, 2)
const ALL = ['speed', 'altitude', 'accuracy', 'angle'] as const

/** Each format as its program writes it, with speeds in its unit. */
const FORMS: Readonly<Record<string, Form>> = {
  'Records.json': {
    ...{ format: 'json', has: ALL, names: true },
    write: (samples) =>
      json({
        locations: samples.map(
          ({ time, latitude, longitude, speed, altitude, accuracy, angle }) => ({
            latitudeE7: Math.round(latitude * E7),
            longitudeE7: Math.round(longitude * E7),
            ...{ accuracy, velocity: speed, heading: angle, altitude, source: 'GPS' },
            activity: [{ activity: [{ type: 'STILL', confidence: 99 }], timestamp: iso(time + 1) }],
            ...{ deviceTag: 'unit 1', timestamp: iso(time) },
          }),
        ),
      }),
  },
  'Records.json before 2022': {
    ...{ format: 'json', has: ['accuracy'], names: false },
    write: (samples) =>
      json({
        somePointsTruncated: false,
        locations: samples.map(({ time, latitude, longitude, accuracy }) => ({
          timestampMs: String(time),
          latitudeE7: Math.round(latitude * E7),
          longitudeE7: Math.round(longitude * E7),
          accuracy,
        })),
      }),
  },
  'Timeline.json of Android': {
    ...{ format: 'json', has: [], names: false },
    write: (samples) =>
      json({
        semanticSegments: samples.map(({ time, latitude, longitude }) => ({
          startTime: iso(time - 60_000),
          endTime: iso(time),
          timelinePath: [{ point: `${latitude}°, ${longitude}°`, time: iso(time) }],
        })),
        rawSignals: [],
        userLocationProfile: { frequentPlaces: [] },
      }),
  },
  'signals of Timeline.json': {
    ...{ format: 'json', has: ['speed', 'altitude', 'accuracy'], names: false },
    write: (samples) =>
      json({
        semanticSegments: [],
        rawSignals: samples.map(({ time, latitude, longitude, speed, altitude, accuracy }) => ({
          position: {
            LatLng: `${latitude}°, ${longitude}°`,
            ...{ accuracyMeters: accuracy, altitudeMeters: altitude, source: 'GPS' },
            ...{ timestamp: iso(time), speedMetersPerSecond: speed },
          },
        })),
      }),
  },
  'Timeline.json of an iPhone': {
    ...{ format: 'json', has: [], names: false },
    write: (samples) =>
      json(
        samples.map(({ time, latitude, longitude }) => ({
          startTime: iso(time - 7 * 60_000),
          endTime: iso(time),
          timelinePath: [
            { point: `geo:${latitude},${longitude}`, durationMinutesOffsetFromStartTime: '7' },
          ],
        })),
      ),
  },
  GPSLogger: {
    ...{ format: 'json', has: ALL, names: false },
    write: (samples) =>
      `{"type": "FeatureCollection","features": [\n${samples
        .map(({ time, latitude, longitude, speed, altitude, accuracy, angle }) => {
          const fix = { time: iso(time), provider: 'gps', time_long: time }
          const numbers = { accuracy, altitude, bearing: angle, speed }
          const known = Object.entries(numbers).filter(([, value]) => value !== null)
          const properties = JSON.stringify({ ...fix, ...Object.fromEntries(known) })
          const at = `{"type":"Point","coordinates":[${longitude},${latitude}]}`
          return `{"type": "Feature","properties":${properties},"geometry":${at}}\n`
        })
        .join(',')}]}`,
  },
  'OwnTracks Recorder': {
    ...{ format: 'owntracks', has: ALL, names: true },
    write: (samples) =>
      samples
        .map(({ time, latitude, longitude, speed, altitude, accuracy, angle }) => {
          const numbers = { acc: accuracy ?? 0, alt: altitude, cog: angle ?? -1 }
          const place = { lat: latitude, lon: longitude, tst: time / 1000 }
          const vel = speed === null ? -1 : speed * MPS
          const payload = { _type: 'location', ...numbers, ...place, vel, topic: 'unit 1' }
          return `${iso(time).replace('.000', '')}\t${'*'.padEnd(18)}\t${JSON.stringify(payload)}\n`
        })
        .join(''),
  },
  'KML with a gx:Track': {
    ...{ format: 'kml', has: ALL, names: true },
    write: (samples) => {
      const lists = (of: (each: Sample) => string) => samples.map(of).join('\n')
      const array = (name: string, key: 'speed' | 'accuracy' | 'angle') =>
        `<gx:SimpleArrayData name="${name}">${lists((each) => `<gx:value>${each[key] ?? ''}</gx:value>`)}</gx:SimpleArrayData>`
      return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>day</name>
<Placemark><name>unit 1</name><gx:Track>
${lists(({ time }) => `<when>${iso(time)}</when>`)}
${lists(({ longitude, latitude, altitude }) => `<gx:coord>${longitude} ${latitude} ${altitude ?? ''}</gx:coord>`)}
<ExtendedData><SchemaData schemaUrl="#s">${array('speed', 'speed')}${array('accuracy_horizontal', 'accuracy')}${array('bearing', 'angle')}</SchemaData></ExtendedData>
</gx:Track></Placemark></Document></kml>`
    },
  },
}

function fixOf(of: Sample, has: FieldsOfFormat): Fix {
  const fix = bareFix(of.time, READ_AT, of.latitude, of.longitude)
  for (const field of has) {
    const value = of[field]
    if (value !== null) fix[field] = field === 'speed' ? value * MPS : value
  }
  return fix
}

const givenFor = ({ format, names }: Form): GivenFile =>
  names ? { format } : { format, ident: 'unit 1' }

for (const [name, form] of Object.entries(FORMS)) {
  test(`${name}: each written fix is read, in pieces of any size`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 300 }),
        async (samples, chunk) => {
          const read = await readPositions(form.write(samples), { ...givenFor(form), chunk })
          assert.deepEqual(
            read.positions,
            samples.map((each) => ({ ident: 'unit 1', fix: fixOf(each, form.has) })),
          )
          assert.deepEqual(
            [read.rejected, read.notes, read.truncated, read.stopped],
            [{}, [], false, null],
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  test(`${name}: a file cut anywhere gives whole fixes, in order, and nothing else`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { minLength: 1, maxLength: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (samples, share) => {
          const text = Buffer.from(form.write(samples))
          const head = text.subarray(0, Math.floor(text.length * share))
          const read = await readPositions(head, givenFor(form))
          const times = read.positions.map(({ fix }) => fix.timeDevice)
          assert.deepEqual(
            times,
            samples.slice(0, times.length).map(({ time }) => time),
          )
          for (const [at, { fix }] of read.positions.entries()) {
            const { latitude, longitude } = samples[at]!
            assert.deepEqual([fix.latitude, fix.longitude], [latitude, longitude])
          }
        },
      ),
      { numRuns: 60 },
    )
  })
}
