/**
 * Times in API parameters: ISO 8601, in the extended format `YYYY-MM-DDTHH[:MM[:SS[.fraction]]]` or in the basic
 * one `YYYYMMDDTHH[MM[SS[.fraction]]]`, with `Z`, an offset (`±HH:MM`, `±HHMM`, `±HH`) or nothing (UTC). A comma may
 * stand for the point. A space counts as the `+` of an offset, because an unescaped `+` in a query arrives as a
 * space. We do not use `Date`, which accepts 2023-02-30 and 24:00.
 */
const ZONE = String.raw`(?:Z|(?<sign>[+\- ])(?<offHour>\d\d)(?::?(?<offMinute>\d\d))?)?`
const EXTENDED = instant('-', ':')
const BASIC = instant('', '')
const DATE = /^(\d{4})(-?)(\d\d)\2(\d\d)$/

function instant(dash: string, colon: string): RegExp {
  const day = String.raw`(?<year>\d{4})${dash}(?<month>\d\d)${dash}(?<day>\d\d)`
  const seconds = String.raw`(?:${colon}(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?`
  return new RegExp(String.raw`^${day}T(?<hour>\d\d)(?:${colon}(?<minute>\d\d)${seconds})?${ZONE}$`)
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Milliseconds since the epoch, with finer digits as a fraction. Undefined if it is not a valid time. */
export function parseInstant(text: string): number | undefined {
  const groups = (EXTENDED.exec(text) ?? BASIC.exec(text))?.groups
  if (groups === undefined) return undefined
  const { year, month, day, hour, minute = '0', second = '0', fraction = '' } = groups
  const { sign, offHour, offMinute = '0' } = groups
  const midnight = utcMidnight(Number(year), Number(month), Number(day))
  if (midnight === undefined) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  let offset = 0
  if (sign !== undefined) {
    if (Number(offHour) > 23 || Number(offMinute) > 59) return undefined
    offset = (Number(offHour) * 60 + Number(offMinute)) * (sign === '-' ? -60_000 : 60_000)
  }
  const ofDay = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000
  return midnight + ofDay + milliseconds(fraction) - offset
}

/** The first millisecond of a date `YYYY-MM-DD` or `YYYYMMDD` in UTC. Undefined if the day does not exist. */
export function parseDate(text: string): number | undefined {
  const match = DATE.exec(text)
  return match === null
    ? undefined
    : utcMidnight(Number(match[1]), Number(match[3]), Number(match[4]))
}

/**
 * Formats `2026-11-20T10:00:00.000Z`. A list has six such times for each object, most from a few days, so
 * the last days are cached.
 */
export function formatInstant(time: number): string {
  if (!Number.isInteger(time)) return new Date(time).toISOString()
  const day = utcDay(time)
  const ms = time - day * DAY_MS
  const seconds = (ms / 1_000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  const minute = TWO_DIGITS[minutes - hours * 60]
  const second = TWO_DIGITS[seconds - minutes * 60]
  return `${dateOf(day)}${TWO_DIGITS[hours]}:${minute}:${second}.${THREE_DIGITS[ms - seconds * 1_000]}Z`
}

/** Formats `2026-11-20` for a day counted from 1970-01-01. */
export function formatDate(day: number): string {
  return dateOf(day).slice(0, -1)
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, value) => String(value).padStart(3, '0'))

const dates = new Map<number, string>()
const MAX_DATES = 1_000

/** The beginning `2026-11-20T` of a UTC day. */
function dateOf(day: number): string {
  let date = dates.get(day)
  if (date === undefined) {
    if (dates.size >= MAX_DATES) dates.clear()
    date = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
    dates.set(day, date)
  }
  return date
}

/** The UTC day of a moment, counted from the epoch. */
export function utcDay(time: number): number {
  return Math.floor(time / DAY_MS)
}

function milliseconds(fraction: string): number {
  const whole = Number(fraction.slice(0, 3).padEnd(3, '0'))
  // A finer fraction is between two milliseconds. The caller that builds a range needs only that, so
  // half a millisecond stands for any such fraction.
  return /[1-9]/.test(fraction.slice(3)) ? whole + 0.5 : whole
}

function utcMidnight(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  return midnight.getUTCMonth() === month - 1 ? midnight.getTime() : undefined
}

/** A closed range of `time_device`, milliseconds since the epoch. */
export type TimeRange = { from: number; to: number }

export function isWithin({ from, to }: TimeRange, time: number): boolean {
  return time >= from && time <= to
}

/** Later than every position: a record has 48 bits for a time. */
export const LAST_TIME = 2 ** 48 - 1

/** The clock is passed in, so that a test can set it. */
export type Clock = {
  /** Milliseconds since the epoch, for times that are shown, stored or compared with a calendar. */
  now(): number
  /** Whole microseconds that never run backwards, for waits and windows. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now() * 1000),
}
