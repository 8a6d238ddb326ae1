import type { Attribute } from '../packages/server/src/base/domain/position/attribute.ts'
import type { Fix } from '../packages/server/src/base/domain/position/fix.ts'

/** The attributes of the next fix of a vehicle. */
export type Sensors = (ident: string, fix: Fix) => readonly Attribute[]

type Vehicle = {
  at: number
  litres: number
  used: number
  adBlue: number
  coolant: number
  temp: number
  rssi: number
}

const TANK_LITRES = 300
/** A city bus. */
const LITRES_IN_KM = 0.4
const LITRES_IDLING_HOUR = 3
/** Fuel and AdBlue come over the CAN bus in such steps. */
const PERCENT_STEP = 0.4

/**
 * Eight sensors with the names and the resolution that Traccar has of Teltonika trackers on a CAN bus: volts to the
 * millivolt with the noise of a regulator, percents in steps of 0.4, temperatures to a degree or a tenth. Fuel follows
 * the real speeds and times of a recording.
 */
export function vehicleSensors(random: () => number): Sensors {
  const vehicles = new Map<string, Vehicle>()
  const off = (size: number) => (random() - 0.5) * 2 * size

  function next(ident: string, { timeDevice, speed }: Fix): Vehicle {
    const before = vehicles.get(ident)
    const now = before ?? {
      at: timeDevice,
      litres: 250,
      used: 0,
      adBlue: 80,
      coolant: 60,
      temp: 19,
      rssi: 4,
    }
    const hours = Math.min(Math.max(timeDevice - now.at, 0) / 3_600_000, 0.1)
    const litres = hours * ((speed ?? 0) * LITRES_IN_KM + LITRES_IDLING_HOUR)
    now.at = timeDevice
    now.litres = now.litres < 40 ? 290 : now.litres - litres
    now.used += litres
    now.adBlue = now.adBlue < 10 ? 95 : now.adBlue - litres / 20
    now.coolant += (86 - now.coolant) * Math.min(1, hours * 10) + off(0.8)
    now.temp += (21 - now.temp) * Math.min(1, hours) + off(0.1)
    if (random() < 0.1) now.rssi = Math.min(5, Math.max(1, now.rssi + Math.round(off(1.4))))
    vehicles.set(ident, now)
    return now
  }

  return (ident, fix) => {
    const { litres, used, adBlue, coolant, temp, rssi } = next(ident, fix)
    return [
      { name: 'adBlueLevel', value: steps(adBlue, PERCENT_STEP) },
      { name: 'battery', value: steps(4.06 + off(0.004), 0.001) },
      { name: 'coolantTemp', value: Math.round(coolant) },
      { name: 'fuelLevel', value: steps((litres / TANK_LITRES) * 100, PERCENT_STEP) },
      { name: 'fuelUsed', value: steps(used, 0.1) },
      { name: 'power', value: steps(28.2 + off(0.02), 0.001) },
      { name: 'rssi', value: rssi },
      { name: 'temp1', value: steps(temp, 0.1) },
    ]
  }
}

function steps(value: number, step: number): number {
  return Math.round(Math.round(value / step) * step * 1_000) / 1_000
}
