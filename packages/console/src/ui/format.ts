import { LOCALE } from '../language/locale.ts'
import { t } from '../language/text.ts'

const counts = new Intl.NumberFormat(LOCALE)
const compacts = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })
const percents = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 })
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' })

export function count(value: number): string {
  return counts.format(value)
}

export function compact(value: number): string {
  return compacts.format(value)
}

export function percent(share: number): string {
  return percents.format(share)
}

export function decimal(value: number, digits = 1): string {
  return value.toLocaleString(LOCALE, { maximumFractionDigits: digits })
}

/** Coordinates in degrees, about 10 m apart. Empty: the place is unknown. */
export function placeText({ latitude, longitude }: MaybePlace): string {
  if (latitude === null || longitude === null) return ''
  return `${decimal(latitude, 4)}, ${decimal(longitude, 4)}`
}

type MaybePlace = { latitude: number | null; longitude: number | null }

const SIZES = ['kB', 'MB', 'GB', 'TB']

/** `1.2 MB`, and never less than kilobytes. */
export function bytes(value: number): string {
  const step = SIZES.findIndex((_, at) => value < 1_000 ** (at + 2))
  const unit = step < 0 ? SIZES.length - 1 : step
  return `${decimal(value / 1_000 ** (unit + 1))} ${SIZES[unit]}`
}

/** `A, B and C`, or `A, B or C`. */
export function listed(
  names: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
) {
  return new Intl.ListFormat(LOCALE, { type }).format(names)
}

export type TimeDetail = 'day' | 'minute' | 'second'

const PARTS: Record<TimeDetail, Intl.DateTimeFormatOptions> = {
  day: { dateStyle: 'medium' },
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
}

/** Creating a formatter takes 100 times as long as using it, and replaying a track uses many. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.DateTimeFormat(LOCALE, options)
  formats.set(key, known)
  return known
}

export function timeOf(instant: string, detail: TimeDetail, utc: boolean): string {
  const options = utc ? { ...PARTS[detail], timeZone: 'UTC' } : PARTS[detail]
  const text = formatOf(options).format(new Date(instant))
  return utc && detail !== 'day' ? `${text} UTC` : text
}

/** `14:05` or `14:05:09`, where the day is known. */
export function clockTime(
  instant: string | number,
  detail: Exclude<TimeDetail, 'day'>,
  utc: boolean,
): string {
  const { timeStyle } = PARTS[detail]
  return formatOf(utc ? { timeStyle, timeZone: 'UTC' } : { timeStyle }).format(new Date(instant))
}

/** The server's days are UTC days, wherever the viewer is. */
export function utcDay(day: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }) {
  return formatOf({ ...options, timeZone: 'UTC' }).format(new Date(day))
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** `3 min ago`, `in 12 days`. */
export function ago(instant: string, now: number): string {
  const seconds = (Date.parse(instant) - now) / 1_000
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  }
  // A time after the clock's last tick seems to be in the future, and no plan is that near.
  return seconds > -10 ? t('just now') : relative.format(Math.round(seconds), 'second')
}

/** A message of the server as a sentence: a name of a field at its beginning stays as it is. */
export function sentence(message: string): string {
  const isName = /^\w*_/.test(message)
  const begun = isName ? message : message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
