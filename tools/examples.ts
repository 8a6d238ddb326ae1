import type { LonLat } from '../packages/server/src/base/domain/places/place.ts'
import { localDays } from '../packages/server/src/base/domain/time/time-zone.ts'
import { demoFleet } from '../packages/server/src/work/simulated/demo/fleet.ts'
import { drivenFixes } from '../packages/server/src/work/simulated/demo/replay.ts'
import { seeded } from '../packages/server/testing/random.ts'

/** Monday 3 March 2025, from 8 to noon in Madrid: a past day in every time zone. */
const DAY = 20_150
const FROM = localDays('Europe/Madrid').startOf(DAY) + 8 * 3_600_000
const TO = FROM + 4 * 3_600_000
const OFFSET = '+01:00'
const OFFSET_MS = 3_600_000

const VEHICLES = ['Van 3 Xaloc', 'Van 6 Ponent', 'Service 3 Puigmal', 'Truck 1 Ebre']
const KM_PER_MILE = 1.609344

/**
 * The files of the `examples` folder by name: part of the demo fleet as another system would export it,
 * with the faults that such files have.
 */
export function exampleFiles(): Map<string, string> {
  const { geofences, routes, sites } = demoFleet()
  return new Map([
    ['objects.csv', objectsCsv()],
    ['positions.csv', positionsCsv()],
    [
      'geofences.geojson',
      geoJson(
        geofences.map(({ coordinates, ...properties }) =>
          feature('Polygon', [coordinates], properties),
        ),
      ),
    ],
    [
      'routes.geojson',
      geoJson(
        routes.map(({ coordinates, ...properties }) =>
          feature('MultiLineString', coordinates, properties),
        ),
      ),
    ],
    [
      'sites.geojson',
      geoJson(
        sites.map(({ latitude, longitude, ...properties }) =>
          feature('Point', [longitude, latitude], properties),
        ),
      ),
    ],
  ])
}

function objectsCsv(): string {
  const rows = demoFleet().objects.map(({ ident, name, plateNumber, vin, accuracy }) =>
    [ident, name, plateNumber, vin, accuracy.deviceTimezone].join(','),
  )
  return csv('unit,label,registration,chassis,timezone', rows)
}

/** Unsorted, with one repeated row, one contradicting row and one without a fix. */
function positionsCsv(): string {
  const { objects } = demoFleet()
  const rows = VEHICLES.flatMap((name) => {
    const { ident } = objects.find((object) => object.name === name)!
    return [...drivenFixes(ident, FROM, TO, 0)].map((fix) =>
      positionRow(ident, fix.timeDevice, [fix.longitude, fix.latitude], fix.speed!, fix.angle!),
    )
  })
  const mixed = shuffled(rows)
  const { ident } = objects.find(({ name }) => name === VEHICLES[0])!
  const contradiction = mixed[10]!.split(',').with(2, '41.3851').with(3, '2.1734').join(',')
  const withoutFix = positionRow(ident, FROM + 1_000, [0, 0], 0, 0)
  return csv('vehicle,when,lat,lng,mph,heading', [...mixed, mixed[20]!, contradiction, withoutFix])
}

function positionRow(
  ident: string,
  time: number,
  [longitude, latitude]: LonLat,
  kmh: number,
  heading: number,
): string {
  const clock = new Date(time + OFFSET_MS).toISOString().slice(0, 19)
  return [
    ident,
    clock + OFFSET,
    latitude.toFixed(6),
    longitude.toFixed(6),
    (kmh / KM_PER_MILE).toFixed(1),
    heading,
  ].join(',')
}

function shuffled<T>(items: T[]): T[] {
  const random = seeded('examples')
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

function csv(header: string, rows: string[]): string {
  return `${[header, ...rows].join('\n')}\n`
}

function feature(type: string, coordinates: unknown, properties: object): string {
  return JSON.stringify({ type: 'Feature', properties, geometry: { type, coordinates } })
}

function geoJson(features: string[]): string {
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`
}
