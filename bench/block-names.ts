import { MEASURES } from '../packages/server/src/base/domain/position/field-lists.ts'
import { AT } from '../packages/server/src/data/positions/block-columns.ts'
import { NUMBER } from '../packages/server/src/engine/tracking/stored-position.ts'

const NAMES = new Map<number, string>([
  ...([
    [AT.time, 'time_device'],
    [AT.timeServer, 'time_server'],
    [AT.latitude, 'latitude'],
    [AT.longitude, 'longitude'],
    [AT.odometer, 'odometer'],
    [AT.mileage, 'mileage'],
    [AT.engineHours, 'engine_hours'],
    [AT.address, 'address'],
    [AT.change, 'change'],
    [AT.hidden, 'hidden since'],
  ] as const),
  ...MEASURES.map(({ key }, i) => [AT.measures[i]!, key] as const),
  ...Object.keys(NUMBER).map((name, slot) => [AT.fold[slot]!, `fold: ${name}`] as const),
  ...Array.from(
    { length: 8 },
    (_, i) => [AT.odometerReading + i, `odometer reading ${i}`] as const,
  ),
  ...Array.from(
    { length: 8 },
    (_, i) => [AT.engineHoursReading + i, `hours reading ${i}`] as const,
  ),
])

/** The name of the column at a place of `COLUMNS`. */
export function columnName(place: number): string {
  return NAMES.get(place) ?? ''
}
