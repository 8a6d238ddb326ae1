import type { Driven } from '../model/drive.ts'
import { type ModelObject, stateOf } from '../model/object.ts'

type Unit = 'km' | 'mi'
type Fields = Record<string, unknown>

const KM_PER = { km: 1, mi: 1.609344 } as const
/** Half of the last decimal of an answer, for distances and speeds, and for hours. */
const HALF_UNIT = 0.0050001
const HALF_HOUR_UNIT = 0.00050001
/** The difference allowed between two formulas of the distance. */
const WAY_ERROR = 2e-5

/** The fault of the rows of a history; undefined if they are right. */
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

/** The fault of the latest positions. */
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

/** The fault of an object in the list. */
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

/** The fault of an object's detail. */
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
  const actual = row[name]
  return typeof actual === 'number' && Math.abs(actual - value) <= error
    ? undefined
    : `${name} is ${actual}, not ${value}, of ${JSON.stringify(row)}`
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
