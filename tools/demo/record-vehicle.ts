import { type Column, MOTION } from '../../packages/server/src/work/simulated/demo/recording.ts'
import { drift, hash, noise } from '../../packages/server/testing/random.ts'
import { type Activity, DAY, weekOf } from './roster.ts'
import { alongLine } from './street-network.ts'
import { STREETS } from './streets.ts'
import { REFRIGERATED, type Vehicle } from './vehicles.ts'

export const DRIVERS = [
  'A. Ferrer',
  'B. Molina',
  'C. Roca',
  'D. Soler',
  'E. Vidal',
  'F. Serra',
  'G. Pons',
]

/** Every vehicle sets out with a full tank. Percent, and percent of an hour with a running engine. */
const FULL = 97
const BURNT_IN_AN_HOUR = 7

/** Seconds between positions while the vehicle idles. */
const IDLING_EVERY = 30

type Row = Record<Column, number>

/** The positions of a vehicle's week. */
export function recordVehicle(vehicle: Vehicle): Row[] {
  if (!vehicle.reports) return []
  const sensors = sensorsOf(vehicle)
  let metres = 0
  let driven = 0
  return weekOf(vehicle).flatMap((activity) =>
    reportingTimes(vehicle, activity).map((second) => {
      const { along, ...place } = placeOf(activity, second)
      metres += (place.forward === 1 ? 1 : -1) * (place.driven - driven)
      driven = place.driven
      return { ...place, slip: along - metres, ...sensors(activity, second) }
    }),
  )
}

/**
 * Seconds after the start of an activity at which the tracker sends a position. It also sends one at each
 * corner.
 */
function reportingTimes(vehicle: Vehicle, activity: Activity): number[] {
  const every =
    activity.kind === 'driving'
      ? vehicle.every.driving
      : activity.kind === 'idling'
        ? IDLING_EVERY
        : vehicle.every.parked
  const count = Math.ceil(activity.seconds / every)
  const regular = Array.from({ length: count }, (_, i) => i * every)
  if (activity.kind !== 'driving') return regular
  const corners = activity.leg.corners.filter((corner) => corner < activity.seconds)
  return [...new Set([...regular, ...corners])].sort((a, b) => a - b)
}

function placeOf(activity: Activity, second: number) {
  const seen =
    activity.kind === 'driving'
      ? activity.leg.at(second)
      : { ...activity.spot, speed: 0, driven: 0 }
  return {
    street: STREETS.indexOf(seen.stretch.street),
    forward: Number(seen.stretch.forward),
    along: Math.round(alongLine(seen.stretch, seen.at)),
    driven: Math.floor((activity.driven + seen.driven) / 1000),
    speed: Math.round(seen.speed * 3.6),
  }
}

/** The readings of a vehicle's receiver and sensors, and its driver, at a second of an activity. */
function sensorsOf(vehicle: Vehicle) {
  const seed = (purpose: string) => hash(`${vehicle.ident} ${purpose}`)
  const [asideSeed, skySeed, batterySeed] = [seed('aside'), seed('sky'), seed('battery')]
  const [coldSeed, driverSeed] = [seed('cold'), seed('driver')]
  return ({ kind, start, engine }: Activity, second: number) => {
    const seconds = start + second
    const isRunning = kind !== 'parked'
    const burnt = (BURNT_IN_AN_HOUR * (engine + (isRunning ? second : 0))) / 3_600
    // A parked receiver averages, so it wanders less and much more slowly.
    const [reach, period] = kind === 'driving' ? [4, 240] : [2.5, 14_400]
    const volts = (isRunning ? 13.9 : 12.6) + 0.15 * drift(batterySeed, seconds, 3_600)
    const cold = (kind === 'driving' ? -18.5 : -16.5) + drift(coldSeed, seconds, 900)
    return {
      seconds,
      motion: MOTION[kind],
      aside: Math.round(reach * drift(asideSeed, seconds, period)),
      sky: Math.round(9 * Math.abs(drift(skySeed, seconds, 3_600))),
      battery: Math.round(volts * 10),
      fuel: Math.round(Math.max(8, FULL - burnt) * 10),
      temperature: vehicle.name === REFRIGERATED ? Math.round(cold * 10) : 0,
      driver: Math.floor(noise(driverSeed, Math.floor(seconds / DAY)) * DRIVERS.length),
    }
  }
}
