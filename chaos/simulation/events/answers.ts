import type { Driven } from '../model/drive.ts'
import { type ModelObject, stateOf } from '../model/object.ts'

type Unit = 'km' | 'mi'
type Fields = Record<string, unknown>

const KM_PER = { km: 1, mi: 1.609344 } as const
/** Half of what an answer's last decimal is worth, of distances and speeds, and of hours. */
const HALF_UNIT = 0.0050001
const HALF_HOUR_UNIT = 0.00050001
/** By which two formulas of the distance may differ. */
const WAY_ERROR = 2e-5

/** What is wrong with the rows of a history; undefined where nothing is. */
export function rowsFault(
  result: unknown,
  expected: readonly Driven[],
  object: ModelObject,
  unit: Unit,
): string | undefined {
  const rows = result as Fields[]
  if (rows.length !== expected.length) {
    return `${rows.length} rows, not ${expected.length} (${times(rows)}; ${expected.map(({ fix }) => iso(fix.timeDevice))})`
  }
  return rows
    .map((row, index) => rowFault(row, expected[index]!, expected[index]!, object, unit))
    .find((fault) => fault !== undefined)
}

/** What is wrong with the latest positions. */
export function latestFault(
  result: unknown,
  found: readonly ModelObject[],
  unit: Unit,
): string | undefined {
  const rows = result as Fields[]
  if (rows.length !== found.length) return `${rows.length} positions, not ${found.length}`
  return rows
    .map((row, index) => {
      const object = found[index]!
      const { last, newest } = stateOf(object)
      if (last !== null && newest !== null)
        return rowFault(row, { ...newest, fix: last }, newest, object, unit)
      const isEmpty = row.id === object.id && row.latitude === null && row.time_device === null
      return isEmpty
        ? undefined
        : `a position of an object that never had one: ${JSON.stringify(row)}`
    })
    .find((fault) => fault !== undefined)
}

function rowFault(
  row: Fields,
  { fix }: Driven,
  counters: Driven,
  object: ModelObject,
  unit: Unit,
): string | undefined {
  const exact: Fields = {
    id: object.id,
    ident: object.ident,
    name: object.name,
    latitude: fix.latitude,
    longitude: fix.longitude,
    altitude: fix.altitude,
    angle: fix.angle,
    time_server: iso(fix.timeServer),
    time_device: iso(fix.timeDevice),
    address: fix.address ?? stateOf(object).address,
  }
  return (
    exactFault(row, exact) ??
    nearFault(row, 'speed', fix.speed / KM_PER[unit], HALF_UNIT) ??
    countersFault(row, counters, unit)
  )
}

/** What is wrong with an object of the list. */
export function itemFault(item: unknown, object: ModelObject, unit: Unit): string | undefined {
  const row = item as Fields
  const { last, newest, heardAt, lastMove, lastIdle, lastStop, address } = stateOf(object)
  const exact: Fields = {
    id: object.id,
    ident: object.ident,
    name: object.name,
    time_server: isoOrNull(heardAt),
    time_device: isoOrNull(last?.timeDevice ?? null),
    time_last_move: isoOrNull(lastMove),
    time_last_idle: isoOrNull(lastIdle),
    time_last_stop: isoOrNull(lastStop),
    address,
  }
  return exactFault(row, exact) ?? (newest === null ? undefined : countersFault(row, newest, unit))
}

/** What is wrong with an object's detail. */
export function detailFault(result: unknown, object: ModelObject, unit: Unit): string | undefined {
  const row = result as Fields
  const { last } = stateOf(object)
  const place: Fields = {
    latitude: last?.latitude ?? null,
    longitude: last?.longitude ?? null,
    altitude: last?.altitude ?? null,
    angle: last?.angle ?? null,
  }
  return itemFault(row, object, unit) ?? exactFault(row, place)
}

function countersFault(
  row: Fields,
  { odometer, mileage, engineHours }: Driven,
  unit: Unit,
): string | undefined {
  const distance = (name: string, km: number) =>
    nearFault(row, name, km / KM_PER[unit], HALF_UNIT + km * WAY_ERROR)
  return (
    distance('odometer', odometer) ??
    distance('mileage', mileage) ??
    nearFault(row, 'engine_hours', engineHours, HALF_HOUR_UNIT)
  )
}

function exactFault(row: Fields, expected: Fields): string | undefined {
  for (const [name, value] of Object.entries(expected)) {
    if (row[name] !== value)
      return `${name} is ${row[name]}, not ${value}, of ${JSON.stringify(row)}`
  }
  return undefined
}

function nearFault(row: Fields, name: string, value: number, error: number): string | undefined {
  const told = row[name]
  return typeof told === 'number' && Math.abs(told - value) <= error
    ? undefined
    : `${name} is ${told}, not ${value}, of ${JSON.stringify(row)}`
}

function times(rows: readonly Fields[]): unknown[] {
  return rows.map((row) => row.time_device)
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time)
}
