import { bareFix, type Fix, fixFault } from '../domain/fix.ts'
import { isLocalTime, parseMoment } from '../domain/moment.ts'
import { OBJECT_RULES } from '../domain/object-settings.ts'
import { isPlainText } from '../domain/plain-text.ts'
import { breach } from '../domain/rule.ts'
import { instantOf } from '../domain/time-zone.ts'
import { OBJECTIONS } from '../tracking/judge.ts'
import { booleanIn, isEmpty, numberIn, textIn } from './cells.ts'
import type { Field } from './columns.ts'
import { type Fault, fault } from './row.ts'

/** Fields that are more than a number, in the order in which `positionOf` takes them. */
const PARTICULARS: readonly Field[] = [
  {
    name: 'ident',
    synonyms: ['imei', 'device_id', 'vehicle_id', 'unit_id', 'tracker_id', 'object_id', 'device'],
  },
  {
    name: 'time_device',
    synonyms: ['timestamp', 'device_time', 'gps_time', 'fix_time', 'time', 'datetime', 'date_time'],
  },
  { name: 'latitude', synonyms: ['lat'] },
  { name: 'longitude', synonyms: ['lon', 'lng', 'long'] },
  { name: 'time_server', synonyms: ['server_time', 'received_at', 'time_received'] },
  { name: 'ignition', synonyms: ['engine_on'] },
  { name: 'address', synonyms: [] },
]

type Quantity = 'speed' | 'distance'
type Measure = Field & {
  key: 'altitude' | 'angle' | 'speed' | 'engineHours' | 'odometer' | 'hdop' | 'gpsLevel'
  quantity: Quantity | null
}

const MEASURES: readonly Measure[] = [
  { name: 'altitude', key: 'altitude', quantity: null, synonyms: ['alt', 'elevation', 'ele'] },
  {
    name: 'angle',
    key: 'angle',
    quantity: null,
    synonyms: ['heading', 'course', 'bearing', 'direction'],
  },
  { name: 'speed', key: 'speed', quantity: 'speed', synonyms: ['velocity'] },
  { name: 'engine_hours', key: 'engineHours', quantity: null, synonyms: [] },
  { name: 'odometer', key: 'odometer', quantity: 'distance', synonyms: [] },
  { name: 'hdop', key: 'hdop', quantity: null, synonyms: [] },
  {
    name: 'gps_level',
    key: 'gpsLevel',
    quantity: null,
    synonyms: ['satellites', 'sats', 'sat'],
  },
]

/** The fields of a position, in the order of a row's cells. */
export const POSITION_FIELDS: readonly Field[] = [...PARTICULARS, ...MEASURES]

/** The fields that every position must have. */
export const POSITION_ESSENTIALS = ['ident', 'time_device', 'latitude', 'longitude'] as const

/** km/h in one unit of the file's speeds, and km in one of its distances. */
export type Factors = Record<Quantity, number>

/**
 * The time zones for times without an offset: of `time_device` by the row's ident, and of `time_server`.
 */
export type TimeZones = { ofDevice: (ident: string) => string; ofServer: string }

export type Position = { ident: string; fix: Fix }

/**
 * Reads the position of a row, or the reason why it has none. `now` is the time of receipt unless the row
 * has one, in milliseconds since the epoch. `givenIdent` replaces the row's own ident unless it is null.
 */
export function positionOf(
  cells: readonly unknown[],
  factors: Factors,
  givenIdent: string | null,
  zones: TimeZones,
  now: number,
): Position | Fault {
  const ident = givenIdent ?? textIn(cells[0])
  if (ident === null) return missing('ident')
  if (!OBJECT_RULES.ident.holds(ident)) {
    return fault('bad_ident', `ident ${breach(OBJECT_RULES.ident, ident)}`, 'ident')
  }
  if (isEmpty(cells[1])) return missing('time_device')
  const timeDevice = momentIn(cells[1], () => zones.ofDevice(ident))
  if (timeDevice === undefined) return badTime('time_device')
  const timeServer = isEmpty(cells[4]) ? now : momentIn(cells[4], () => zones.ofServer)
  if (timeServer === undefined) return badTime('time_server')

  const latitude = numberIn(cells[2])
  const longitude = numberIn(cells[3])
  if (latitude === null) return missing('latitude')
  if (longitude === null) return missing('longitude')
  if (Number.isNaN(latitude)) return badNumber('latitude')
  if (Number.isNaN(longitude)) return badNumber('longitude')

  const fix = bareFix(timeDevice, timeServer, latitude, longitude)
  return (
    readMeasures(fix, cells, factors) ??
    readIgnition(fix, cells[5]) ??
    readAddress(fix, cells[6]) ??
    rulesFault(fix, now) ?? { ident, fix }
  )
}

function momentIn(cell: unknown, zone: () => string): number | undefined {
  const moment = parseMoment(cell)
  return moment !== undefined && isLocalTime(cell) ? instantOf(moment, zone()) : moment
}

function readMeasures(fix: Fix, cells: readonly unknown[], factors: Factors): Fault | null {
  let index = PARTICULARS.length
  for (const { name, key, quantity } of MEASURES) {
    const value = numberIn(cells[index])
    index += 1
    if (value === null) continue
    if (Number.isNaN(value)) return badNumber(name)
    fix[key] = quantity === null ? value : value * factors[quantity]
  }
  return null
}

function readIgnition(fix: Fix, cell: unknown): Fault | null {
  const ignition = booleanIn(cell)
  if (ignition === undefined) {
    return fault('bad_ignition', 'ignition must be one of true, false, 1, 0, on, off, yes, no')
  }
  fix.ignition = ignition
  return null
}

function readAddress(fix: Fix, cell: unknown): Fault | null {
  fix.address = textIn(cell)
  if (fix.address === null || isPlainText(fix.address)) return null
  return fault('bad_address', 'address must be UTF-8 text without control characters')
}

function rulesFault(fix: Fix, now: number): Fault | null {
  const reason = fixFault(fix, now)
  return reason === undefined ? null : fault(reason, OBJECTIONS[reason]!)
}

function missing(field: string): Fault {
  return fault('missing_field', `${field} is missing`, field)
}

function badTime(field: string): Fault {
  return fault('bad_time', `${field} is no moment that exists`, field)
}

function badNumber(field: string): Fault {
  return fault('bad_number', `${field} is not a decimal number`, field)
}
