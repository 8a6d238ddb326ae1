import type {
  GeofenceSettings,
  LonLat,
  RouteSettings,
} from '../../packages/server/src/base/domain/places/place.ts'
import type {
  RecordedSettings,
  RecordingHead,
} from '../../packages/server/src/work/simulated/demo/recording.ts'
import { DEPOT, DISTRICTS, FREIGHT_TERMINAL, PLACES, PORT_GATE } from './places.ts'
import { type Point, toLonLat } from './plane.ts'
import { type Spot, wayBetween } from './street-network.ts'
import type { Vehicle } from './vehicles.ts'

/** An imaginary delivery and service company in Barcelona. */
export const ORGANIZATION: RecordingHead['organization'] = {
  name: 'Llevant Express (demo)',
  dailyQuota: 500,
  // Visitors who try the feed may send any ident.
  createObjects: true,
  timeZone: 'Europe/Madrid',
}

export function settingsOf(vehicle: Vehicle): RecordedSettings {
  return {
    name: vehicle.name,
    ident: vehicle.ident,
    vin: vehicle.vin,
    plateNumber: vehicle.plate,
    odometerType: vehicle.counters,
    engineHoursType: vehicle.counters,
    odometer: vehicle.odometer,
    engineHours: vehicle.engineHours,
    accuracy: { deviceTimezone: vehicle.deviceTimezone },
  }
}

export function geofences(): GeofenceSettings[] {
  const { dreta, esquerra, santAntoni, sagradaFamilia, poblenou } = DISTRICTS
  return [
    zone('Depot yard', 'Yard of the Poblenou depot', '#2563eb', around(DEPOT.spot.point, 75)),
    zone('Zone A: Dreta', dreta.name, '#f59e0b', box(dreta.low, dreta.high)),
    zone('Zone B: Esquerra', esquerra.name, '#10b981', box(esquerra.low, esquerra.high)),
    zone('Zone C: Sant Antoni', santAntoni.name, '#ec4899', [
      { along: -600, up: 40 },
      { along: -600, up: -80 },
      { along: -1120, up: -450 },
      { along: -1120, up: -1120 },
      { along: -1560, up: -760 },
      { along: -1560, up: 40 },
    ]),
    zone(
      'Zone D: Sagrada Família',
      sagradaFamilia.name,
      '#8b5cf6',
      box(sagradaFamilia.low, sagradaFamilia.high),
    ),
    zone('Zone E: Poblenou', poblenou.name, '#06b6d4', box(poblenou.low, poblenou.high)),
    zone('Low-emission zone', 'Inside the Rondes: label B or better', '#22c55e', [
      { along: -3700, up: -330 },
      { along: -2600, up: -380 },
      { along: -640, up: -1850 },
      { along: 200, up: -1850 },
      { along: 1520, up: -1930 },
      { along: 3600, up: -1720 },
      { along: 4500, up: -1150 },
      { along: 4100, up: 1950 },
      { along: 2400, up: 2300 },
      { along: -1400, up: 1900 },
      { along: -3700, up: 700 },
    ]),
    zone('Port', 'Container quays: pass required', '#ef4444', around(PORT_GATE.spot.point, 320)),
  ]
}

function zone(
  name: string,
  description: string,
  color: string,
  corners: Point[],
): GeofenceSettings {
  return { name, description, color, coordinates: [...corners, corners[0]!].map(toLonLat) }
}

function box(low: Point, high: Point): Point[] {
  return [low, { along: high.along, up: low.up }, high, { along: low.along, up: high.up }]
}

function around({ along, up }: Point, reach: number): Point[] {
  return box({ along: along - reach, up: up - reach }, { along: along + reach, up: up + reach })
}

export function routes(): RouteSettings[] {
  const named = (name: string) => PLACES.find((place) => place.name === name)!.spot
  const depot = DEPOT.spot
  return [
    route('Depot – Zona Franca', 'Trunk run by the Ronda Litoral', '#1d4ed8', 150, [
      depot,
      FREIGHT_TERMINAL.spot,
    ]),
    route('Zona Franca – Port – Depot', 'Containers: terminal, quay and back', '#b45309', 150, [
      FREIGHT_TERMINAL.spot,
      PORT_GATE.spot,
      depot,
    ]),
    route('Market round', 'Three markets before nine', '#15803d', 60, [
      depot,
      named('Mercat de la Concepció'),
      named('Mercat del Ninot'),
      named('Mercat de Sant Antoni'),
      depot,
    ]),
    route('Hospital round', 'Pharmacy courier, every night', '#be123c', 60, [
      depot,
      named('Hospital de Sant Pau'),
      named('Hospital Clínic'),
      depot,
    ]),
  ]
}

/** A route through spots: one line for each leg, along the streets. */
function route(
  name: string,
  description: string,
  color: string,
  deviation: number,
  spots: Spot[],
): RouteSettings {
  return {
    name,
    description,
    color,
    deviation,
    points: spots.map((spot, i) => ({ location: toLonLat(spot.point), order: i + 1 })),
    coordinates: spots.slice(1).map((to, i) => line(spots[i]!, to)),
  }
}

function line(from: Spot, to: Spot): LonLat[] {
  const corners = wayBetween(from, to)
    .stretches.slice(1)
    .map((stretch) => stretch.from)
  return [from.point, ...corners, to.point].map(toLonLat)
}
