import type { Attribute } from '../../domain/attributes/attribute.ts'
import { HOUR_MS } from '../../domain/time/time.ts'
import { attributesOf } from '../attributes.ts'
import { drift, hash, noise } from './random.ts'
import type { Vehicle } from './vehicles.ts'

const DRIVERS = ['A. Ferrer', 'B. Molina', 'C. Roca', 'D. Soler', 'E. Vidal', 'F. Serra', 'G. Pons']
/** The one with a refrigerated body. */
const REFRIGERATED = 'Truck 1 Ebre'
/** Every vehicle sets out with a full tank. Percent, and percent of an hour with a running engine. */
const FULL = 97
const BURNT_IN_AN_HOUR = 7

type Moment = {
  time: number
  /** The start of the duty day. */
  day: number
  /** Seconds with a running engine since then. */
  engine: number
  isRunning: boolean
  /** Whether the vehicle waits, with its doors open now and then. */
  isWaiting: boolean
}

/** The readings of the sensors of a vehicle at a moment, and its driver on a duty day. */
export function onBoardOf(vehicle: Vehicle): (moment: Moment) => Attribute[] {
  const seed = (purpose: string) => hash(`${vehicle.ident} ${purpose}`)
  const [batterySeed, driverSeed, coldSeed] = [seed('battery'), seed('driver'), seed('cold')]
  return ({ time, day, engine, isRunning, isWaiting }) => {
    const volts = isRunning ? 13.9 : 12.6
    const driver = Math.floor(noise(driverSeed, day / HOUR_MS) * DRIVERS.length)
    const values = {
      battery: rounded(volts + 0.15 * drift(batterySeed, time, 600_000), 2),
      driverUniqueId: DRIVERS[driver]!,
      fuelLevel: rounded(Math.max(8, FULL - (BURNT_IN_AN_HOUR * engine) / 3_600), 1),
    }
    if (vehicle.name !== REFRIGERATED) return attributesOf(values)
    const cold = (isWaiting ? -16.5 : -18.5) + drift(coldSeed, time, 900_000)
    return attributesOf({ ...values, temp1: rounded(cold, 1) })
  }
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
