import { parseMoment } from '../../../base/domain/time/moment.ts'
import { DATE_ORDERS, type DateOrder, inFile, open, type Part, usual } from './notation.ts'

type Day = { year: number; month: number; day: number; isClear: boolean }

const NUMBERS = /^(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})\.?(?=$|[\sT,])/

const DAY_FIRST = /^(\d{1,2})[.\s-]+(?:de )?(\p{L}{3,})[.\s-]+(?:de )?(\d{4})(?=$|[\s,])/u

const MONTH_FIRST = /^(\p{L}{3,})\.? (\d{1,2}),? (\d{4})(?=$|[\s,])/u

const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)(?=$|[\sT]|\d{6}$)/

const SHORT = /^(\d\d)(\d\d)(\d\d)$/

/** A day of the beginning of a text, and the rest of the text. Null: it begins with no day that exists. */
function dayOf(text: string, order: DateOrder): { day: Day; rest: string } | null {
  for (const [form, read] of READERS) {
    const match = form.exec(text)
    if (match === null) continue
    const day = read(match, order)
    return day !== null && exists(day) ? { day, rest: text.slice(match[0].length) } : null
  }
  return null
}

const READERS: readonly [RegExp, (match: RegExpExecArray, order: DateOrder) => Day | null][] = [
  [NUMBERS, ([, first, , second, third], order) => numbered([first!, second!, third!], order)],
  [DAY_FIRST, ([, day, month, year]) => named(year!, month!, day!)],
  [MONTH_FIRST, ([, month, day, year]) => named(year!, month!, day!)],
  [COMPACT, ([, year, month, day]) => dayIn(year!, month!, day!, true)],
  [SHORT, ([, first, second, third], order) => numbered([first!, second!, third!], order)],
]

/** A year of four digits in front is always followed by month and day. */
function numbered([first, second, third]: [string, string, string], order: DateOrder): Day | null {
  if (first.length === 4) return dayIn(first, second, third, true)
  if (first.length === 3) return null
  if (order === 'YMD') return third.length > 2 ? null : dayIn(first, second, third, false)
  return order === 'DMY' ? dayIn(third, second, first, false) : dayIn(third, first, second, false)
}

function named(year: string, month: string, day: string): Day | null {
  const number = monthNamed(month)
  return number === undefined ? null : dayIn(year, String(number), day, true)
}

/** A year of two digits is of this century. */
function dayIn(year: string, month: string, day: string, isClear: boolean): Day | null {
  if (year.length !== 4 && year.length !== 2) return null
  const full = year.length === 2 ? 2000 + Number(year) : Number(year)
  return { year: full, month: Number(month), day: Number(day), isClear }
}

function exists({ year, month, day }: Day): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const CLOCK =
  /^(\d{1,2})[:.h](\d\d)(?:[:.m](\d\d)(?:[.,](\d{1,9}))?)?\s*(?:([ap])\.?\s?m\.?)?\s*(Z|UTC|GMT|(?:UTC|GMT)?[+-]\d\d(?::?\d\d)?)?$/i

const COMPACT_CLOCK = /^(\d\d)(\d\d)(\d\d)$/

/** The time of day as in ISO 8601, with the offset of the text if it has one. Null: the text is another one. */
function clockIn(text: string): string | null {
  const match = CLOCK.exec(text) ?? COMPACT_CLOCK.exec(text)
  if (match === null) return null
  const [, written, minute, second = '00', fraction, half, zone] = match
  const hour = half === undefined ? Number(written) : hourOf(Number(written), half)
  const isEndOfDay = hour === 24 && Number(minute) === 0 && Number(second) === 0
  if (!isEndOfDay && !(hour < 24 && Number(minute) < 60 && Number(second) < 60)) return null
  const shown = `${twoDigits(hour)}:${minute}:${second}`
  return `${shown}${fraction === undefined ? '' : `.${fraction}`}${offsetOf(zone)}`
}

function hourOf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return Number.NaN
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}

function offsetOf(zone: string | undefined): string {
  if (zone === undefined) return ''
  const digits = zone.replace(/^(?:UTC|GMT|Z)/i, '').replace(':', '')
  return digits === '' ? 'Z' : `${digits.slice(0, 3)}:${digits.slice(3) || '00'}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

function dayText({ year, month, day }: Day): string {
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`
}

/** Digits without marks are a date or a time of day. As seconds since the epoch they would be in 1970. */
function isEpochOrIso(text: string): boolean {
  return !COMPACT.test(text) && !COMPACT_CLOCK.test(text) && parseMoment(text) !== undefined
}

/**
 * A cell of a column of times as `parseMoment` reads it: a moment, or the time of day if the date has a column of its
 * own. Null: the cell is something else.
 */
export function momentWith(order: DateOrder, cell: string): string | null {
  const text = cell.trim()
  if (isEpochOrIso(text)) return text
  const found = dayOf(text, order)
  if (found === null) return clockIn(text)
  const clock = clockIn(found.rest.replace(/^[\sT,]+/, ''))
  return clock === null ? null : `${dayText(found.day)}T${clock}`
}

/** A cell of a column of dates as `YYYY-MM-DD`. A spreadsheet may add midnight. Null: it is another one. */
export function dateWith(order: DateOrder, cell: string): string | null {
  const found = dayOf(cell.trim(), order)
  return found === null || !/^(?:[\sT]+0{1,2}[:.]00(?:[:.]00)?)?$/.test(found.rest)
    ? null
    : dayText(found.day)
}

/** Whether a cell has the form that `parseMoment`, or the joining of date and time, takes as it is. */
export function isPlainMoment(cell: string): boolean {
  const text = cell.trim()
  return text === '' || isEpochOrIso(text) || PLAIN_CLOCK.test(text)
}

const PLAIN_CLOCK = /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/

export function isPlainDate(cell: string): boolean {
  return /^(?:\d{4}-\d\d-\d\d)?$/.test(cell.trim())
}

/** Whether a text is a time of day, without a date. */
export function isClock(cell: string): boolean {
  return clockIn(cell.trim()) !== null
}

/** The cells of a column of times or dates. */
type Moments = { read: typeof momentWith; cells: readonly string[] }

/** The order of day, month and year by cells of a file. Points before a year of four digits mean day and month. */
export function findDates(columns: readonly Moments[]): Part<DateOrder> {
  let possible: readonly DateOrder[] = DATE_ORDERS
  let example: string | null = null
  for (const { read, cells } of columns) {
    for (const cell of cells) {
      if (cell === '') continue
      const readings = DATE_ORDERS.map((order) =>
        isUnusual(order, cell) ? null : read(order, cell),
      )
      const fitting = DATE_ORDERS.filter((_, at) => readings[at] !== null)
      const isSame = new Set(readings).size === 1
      if (isSame || fitting.length === 0) continue
      const remaining = possible.filter((order) => fitting.includes(order))
      if (example === null || remaining.length < possible.length) example = cell.trim()
      if (remaining.length === 0) return contradiction(columns)
      possible = remaining
    }
  }
  if (example === null) return usual('YMD')
  if (possible.length === 1) return inFile(possible[0]!, example)
  return open(example, readingsOf(columns, possible))
}

const POINTS = /^\d{1,2}\. ?\d{1,2}\. ?\d{4}/

function isUnusual(order: DateOrder, cell: string): boolean {
  return order === 'MDY' && POINTS.test(cell.trim())
}

/** The readings of the first cell that the orders read differently. */
function readingsOf(columns: readonly Moments[], orders: readonly DateOrder[]) {
  for (const { read, cells } of columns) {
    for (const cell of cells) {
      const readings = orders.map((order) => ({ value: order, reads: read(order, cell) ?? '' }))
      if (new Set(readings.map(({ reads }) => reads)).size === orders.length) return readings
    }
  }
  return orders.map((order) => ({ value: order, reads: '' }))
}

/** Cells of different orders: each order with the first cell that it alone, or it with others, can read. */
function contradiction(columns: readonly Moments[]): Part<never> {
  const cells = columns.flatMap(({ read, cells }) => cells.map((cell) => ({ read, cell })))
  const choices = DATE_ORDERS.flatMap((order) => {
    const own = cells.find(
      ({ read, cell }) =>
        read(order, cell) !== null && DATE_ORDERS.some((other) => read(other, cell) === null),
    )
    return own === undefined ? [] : [{ value: order, reads: own.cell.trim() }]
  })
  return open(choices.map(({ reads }) => reads).join(' and '), choices)
}

/** The languages whose names of columns and months are known. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'] as const

/** A name without accents, points and capitals, so that `Févr.` and `fevr` are one. */
export function plainWord(word: string): string {
  const bare = word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
  return bare.replaceAll('ł', 'l').replaceAll('ß', 'ss')
}

/** The month of each name, long and short, from 1. No name is two months in two of the languages. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).flatMap((length) =>
      Array.from({ length: 12 }, (_, month): [string, number][] => {
        const date = new Date(Date.UTC(2026, month, 15))
        const alone = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' })
        const inDate = new Intl.DateTimeFormat(language, {
          day: 'numeric',
          month: length,
          timeZone: 'UTC',
        })
        const part = inDate.formatToParts(date).find(({ type }) => type === 'month')
        return [alone.format(date), part?.value ?? ''].map((name) => [plainWord(name), month + 1])
      }).flat(),
    ),
  ),
)

/** The month with a name, from 1. */
function monthNamed(name: string): number | undefined {
  return MONTHS.get(plainWord(name))
}
