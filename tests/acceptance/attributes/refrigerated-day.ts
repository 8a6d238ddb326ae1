import type { Json } from '../harness/fleetgate.ts'
import { DAY, drive, MINUTE } from '../trips/records-fleet.ts'

/** The values that the device sends with each position of a day, by their names. */
export type DeviceValues = {
  /** Milliliters since the device was built in. It starts again at noon. */
  totalFuel?: number
  /** Tenths of a degree. */
  temp1?: number
  driverCard?: string
  door?: boolean
}

/**
 * The day of a refrigerated van: four drives with stops between them. Each third position has no fuel, and the driver is
 * sent only when somebody takes the seat.
 */
export function refrigeratedDay(
  ident: string,
): { time: number; row: Json; values: DeviceValues }[] {
  const drives = [6, 9, 12, 15].flatMap((hour) => drive(ident, DAY + hour * 60 * MINUTE))
  let fuel = 812_345
  return drives.map((row, index) => {
    const time = Date.parse(row.time_device)
    // The device forgets its counter once.
    if (index === 110) fuel = 5
    fuel += row.speed > 0 ? 31 + (index % 7) : index % 4
    const values: DeviceValues = { temp1: -180 + ((index * 37) % 60) }
    if (index % 3 !== 0) values.totalFuel = fuel
    if (index === 0) values.driverCard = 'A. Kaya'
    if (index === 60) values.driverCard = 'B, "Bo" Diaz'
    if (index % 20 === 0) values.door = index % 40 === 0
    return { time, row: { ...row, attributes: values }, values }
  })
}

/** The entries of the catalogue, as the command line takes them. */
export const CATALOGUE: readonly (readonly [name: string, ...options: string[]])[] = [
  ['fuel_used', '--sources', 'totalFuel', '--scale', '0.001', '--decimals', '3', '--is-counter'],
  ['temperature', '--sources', 'temp2,temp1', '--scale', '0.1', '--decimals', '1'],
  ['driver', '--type', 'text', '--sources', 'driverCard'],
  ['door', '--type', 'boolean', '--sources', 'door'],
]

/** The values as answers show them. */
export function shown({ totalFuel, temp1, driverCard, door }: DeviceValues): Json {
  return {
    ...(door !== undefined && { door }),
    ...(driverCard !== undefined && { driver: driverCard }),
    ...(totalFuel !== undefined && { fuel_used: totalFuel / 1_000 }),
    ...(temp1 !== undefined && { temperature: temp1 / 10 }),
  }
}
