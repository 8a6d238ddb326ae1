import { isPlainText } from '../../base/domain/common/plain-text.ts'
import { OBJECT_RULES } from '../../base/domain/monitored-object.ts'
import { collected } from '../../base/domain/position/attribute-section.ts'
import { plausible, SENT } from '../../base/domain/position/field-lists.ts'
import { bareFix, FIX_LIMITS, type Fix, fixFault } from '../../base/domain/position/fix.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import { breach } from '../../base/domain/setting-rule.ts'
import { isLocalTime, parseMoment } from '../../base/domain/time/moment.ts'
import { DAY_MS, formatInstant } from '../../base/domain/time/time.ts'
import { REJECT_REASONS } from '../../engine/tracking/rules/judge.ts'
import { type Fault, fault, misread, type Remarks, type Row } from './row.ts'
import {
  booleanIn,
  isEmpty,
  isMisread,
  numberIn,
  spreadsheetIdent,
  textIn,
} from './tables/cells.ts'
import type { Field } from './tables/column-mapping.ts'
import type { Units } from './tables/units.ts'
import {
  DEGREE_WORDS,
  HOUR_WORDS,
  LENGTH_WORDS,
  METRE_WORDS,
  PERCENT_WORDS,
  SPEED_WORDS,
  ZONE_WORDS,
} from './tables/units.ts'

/** Fields that are more than a number. */
const PARTICULARS = [
  'ident',
  'time_device',
  'latitude',
  'longitude',
  'time_server',
  'ignition',
  'address',
] as const

/** The content of the cells of particular fields, unless it is text. */
const HOLDS: Partial<Record<(typeof PARTICULARS)[number], Pick<Field, 'holds' | 'units'>>> = {
  time_device: { holds: { kind: 'moment' }, units: ZONE_WORDS },
  time_server: { holds: { kind: 'moment' } },
  latitude: { holds: { kind: 'coordinate', maximum: 90 }, units: DEGREE_WORDS },
  longitude: { holds: { kind: 'coordinate', maximum: 180 }, units: DEGREE_WORDS },
}

const UNIT_WORDS: Readonly<Record<string, Units>> = {
  'km/h': SPEED_WORDS,
  km: LENGTH_WORDS,
  m: METRE_WORDS,
  degrees: DEGREE_WORDS,
  h: HOUR_WORDS,
  '%': PERCENT_WORDS,
}

/** The fields of a position, in the order of a row's cells. */
export const POSITION_FIELDS: readonly Field[] = [
  ...PARTICULARS.map((name) => ({ name, synonyms: FIELDS[name].headings, ...HOLDS[name] })),
  ...SENT.map(({ name, headings, unit }): Field => {
    const units = UNIT_WORDS[unit ?? ''] ?? {}
    return { name, synonyms: headings, holds: { kind: 'number' }, units }
  }),
  /** The day, where `time_device` is only the time of day. */
  { name: 'date', synonyms: [], holds: { kind: 'date' }, units: ZONE_WORDS },
  /** Whether there was a fix, and nobody has marked it as wrong since. */
  { name: 'valid', synonyms: ['visible', 'gps_valid', 'fix_valid', 'is_valid', 'position.valid'] },
]

/** The index of each field in a row's cells. */
const AT = Object.fromEntries(POSITION_FIELDS.map(({ name }, index) => [name, index])) as Record<
  (typeof PARTICULARS)[number] | 'date' | 'valid',
  number
>

/** The fields that every position must have. */
export const POSITION_ESSENTIALS = ['ident', 'time_device', 'latitude', 'longitude'] as const

/** The units of `Fix` in one of the file's, in the order of `SENT`. */
export type Factors = readonly number[]

/** The moments of local times, as if these were UTC: of `time_device` by the row's ident, and of `time_server`. */
export type LocalClocks = {
  ofDevice: (ident: string, local: number) => number
  ofServer: (local: number) => number
}

export type Position = { ident: string; fix: Fix }

type Unread = (field: string) => void

/**
 * Reads the position of a row, or the reason why it has none. `now` is the time of receipt unless the row
 * has one, in milliseconds since the epoch. `givenIdent` replaces the row's own ident unless it is null. `unread` gets
 * the name of each optional value that cannot be read, or that no vehicle can have: it is unknown, and costs nothing
 * else of the position.
 */
export function positionOf(
  cells: readonly unknown[],
  factors: Factors,
  givenIdent: string | null,
  clocks: LocalClocks,
  now: number,
  unread: Unread,
): Position | Fault {
  const ident = givenIdent ?? textIn(cells[AT.ident])
  if (ident === null) {
    const detail = 'ident is missing; set one in each row, or one for the whole file'
    return fault('missing_field', detail, 'ident')
  }
  if (!OBJECT_RULES.ident.holds(ident)) {
    return fault('bad_ident', `ident ${breach(OBJECT_RULES.ident, ident)}`, 'ident')
  }
  if (isMisread(ident)) return misread('ident', ident)
  const rounded = givenIdent === null ? spreadsheetIdent(ident) : null
  if (rounded !== null) return rounded
  if (!isValid(cells[AT.valid], unread)) return fault('no_fix', NOT_VALID, 'valid')
  const time = withDate(cells[AT.date], cells[AT.time_device])
  if (isEmpty(time)) return missing('time_device')
  const timeDevice = momentIn(time, (local) => clocks.ofDevice(ident, local))
  if (timeDevice === undefined) return badTime('time_device')
  if (timeDevice < EARLIEST) return tooEarly('time_device', time, timeDevice)
  const received = isEmpty(cells[AT.time_server])
    ? now
    : momentIn(cells[AT.time_server], clocks.ofServer)
  if (received === undefined) unread('time_server')
  const timeServer = received ?? now
  if (timeServer < EARLIEST) return tooEarly('time_server', cells[AT.time_server], timeServer)

  const latitude = numberIn(cells[AT.latitude])
  const longitude = numberIn(cells[AT.longitude])
  if (latitude === null) return missing('latitude')
  if (longitude === null) return missing('longitude')
  if (Number.isNaN(latitude)) return badNumber('latitude')
  if (Number.isNaN(longitude)) return badNumber('longitude')

  const fix = bareFix(timeDevice, timeServer, latitude, longitude)
  const reason = fixFault(fix, now)
  if (reason !== undefined) return fault(reason, REJECT_REASONS[reason]!)
  readNumbers(fix, cells, factors, unread)
  const ignition = booleanIn(cells[AT.ignition])
  if (ignition === undefined) unread('ignition')
  fix.ignition = ignition ?? null
  readAddress(fix, cells[AT.address], unread)
  return { ident, fix }
}

const NOT_VALID =
  'its column valid says that the device had no GPS fix or that the position is wrong'

/** The words of receivers, in addition to yes and no. `A` and `V` are those of NMEA. */
const VALID_WORDS = new Set(['y', 'a', 'valid', 'sps', 'dgps', 'pps', 'rtk', '2d', '3d', '2', '3'])

const INVALID_WORDS = new Set(['n', 'v', 'invalid', 'void', 'none', 'no fix', 'nofix'])

function isValid(cell: unknown, unread: Unread): boolean {
  if (isEmpty(cell)) return true
  const known = booleanIn(cell)
  if (known !== undefined) return known !== false
  const word = String(textIn(cell)).toLowerCase()
  if (INVALID_WORDS.has(word)) return false
  if (!VALID_WORDS.has(word)) unread('valid')
  return true
}

const TIME_OF_DAY = /^\s*\d\d:\d\d/

/** The time of day with the day of another cell. A whole moment stays as it is. */
function withDate(date: unknown, time: unknown): unknown {
  const isSplit = !isEmpty(date) && typeof time === 'string' && TIME_OF_DAY.test(time)
  return isSplit ? `${String(date)}T${time.trim()}` : time
}

function momentIn(cell: unknown, instantOf: (local: number) => number): number | undefined {
  const moment = parseMoment(cell)
  return moment !== undefined && isLocalTime(cell) ? instantOf(moment) : moment
}

/** Programs use a number below zero for "unknown" where it cannot be a value. */
const NUMBERS = SENT.map((sent) => ({ ...sent, unknownBelowZero: sent.minimum >= 0 }))

function readNumbers(fix: Fix, cells: readonly unknown[], factors: Factors, unread: Unread): void {
  for (let i = 0; i < NUMBERS.length; i++) {
    const sent = NUMBERS[i]!
    const { name, key } = sent
    const number = numberIn(cells[PARTICULARS.length + i])
    if (number === null) continue
    const value = plausible(number, sent, factors[i]!)
    if (value === undefined) unread(name)
    else fix[key] = value
  }
}

/** A number of a row as it has it, in the unit of `Fix`. `at`: of its field in `SENT`. Null: it is empty. */
export function numberAt(cells: readonly unknown[], at: number, factors: Factors): number | null {
  const number = numberIn(cells[PARTICULARS.length + at])
  return number === null ? null : number * factors[at]!
}

function readAddress(fix: Fix, cell: unknown, unread: Unread): void {
  const address = textIn(cell)
  const isReadable = address === null ? isEmpty(cell) : isAddress(address)
  if (isReadable) fix.address = address
  else unread('address')
}

function isAddress(text: string): boolean {
  return isPlainText(text) && Buffer.byteLength(text) <= FIX_LIMITS.addressBytes
}

function missing(field: string): Fault {
  return fault('missing_field', `${field} is missing`, field)
}

function badTime(field: string): Fault {
  return fault('bad_time', `${field} is not a time that exists`, field)
}

/** No vehicle had a GPS receiver before. Earlier times come from clocks that were never set. */
export const EARLIEST = Date.UTC(1990, 0, 1)

/** Spreadsheets count days from this moment. */
const SPREADSHEET_EPOCH = Date.UTC(1899, 11, 30)

/** The day numbers of 1990 to 2099. As seconds since the epoch they are times of 1 January 1970. */
const SPREADSHEET_DAYS = { from: 32_874, to: 73_050 }

function tooEarly(field: string, cell: unknown, moment: number): Fault {
  const days = Number(cell)
  if (days >= SPREADSHEET_DAYS.from && days <= SPREADSHEET_DAYS.to) {
    const meant = new Date(Math.round(SPREADSHEET_EPOCH + days * DAY_MS)).toISOString()
    const example = `${meant.slice(0, 10)} ${meant.slice(11, 19)}`
    return fault(
      'spreadsheet_time',
      `${field} '${String(cell)}' is a day number of a spreadsheet; format the column as ${example}, and export it again`,
      field,
    )
  }
  const detail = `${field} is ${formatInstant(moment)}, before 1990: the clock of the device was not set`
  return fault('before_1990', detail, field)
}

function badNumber(field: string): Fault {
  return fault('bad_number', `${field} is not a decimal number`, field)
}

/** Reads the attributes of rows. A value that cannot be kept costs nothing else of its row: a remark has the first one. */
export function attributeReading({ notes }: Remarks) {
  let isNoted = false

  function noteLost(name: string, line: number): void {
    if (isNoted) return
    isNoted = true
    notes.add(
      `some values of attributes were left out, the first in line ${line}, of ${name}: a text has at most 64 bytes and no line breaks, and the attributes of a position take at most 1 KiB`,
    )
  }

  return {
    read(fix: Fix, { attributes, line }: Row): void {
      if (attributes === undefined || attributes.length === 0) return
      fix.attributes = collected(attributes, (name) => noteLost(name, line))
    },
  }
}

/** Years of a file: how many rows each has, and the line of the first one. */
type Years = Map<number, { rows: number; line: number }>

/**
 * Finds years that are alone in a file: the file has rows of other years, and none of the year before and after. A
 * clock that was wrong for a while leaves such a year.
 */
export function loneYears() {
  const years: Years = new Map()

  return {
    /** `time`: ms since the epoch. */
    add(time: number, line: number): void {
      const year = new Date(time).getUTCFullYear()
      const known = years.get(year)
      if (known === undefined) years.set(year, { rows: 1, line })
      else known.rows += 1
    },
    /** Sentences about such years, in their order. A year with as many rows as any is not one of them. */
    notes(source: string): string[] {
      const most = Array.from(years.values(), ({ rows }) => rows).reduce(
        (a, b) => Math.max(a, b),
        0,
      )
      return [...years]
        .filter(([year, { rows }]) => {
          return rows < most && !years.has(year - 1) && !years.has(year + 1)
        })
        .sort(([a], [b]) => a - b)
        .map(([year, { rows, line }]) => {
          const some = rows === 1 ? '1 row' : `${rows} rows`
          return `'${source}' has ${some} of ${year} (the first in line ${line}) and none of the years next to it: check the clock of the device`
        })
    },
  }
}
