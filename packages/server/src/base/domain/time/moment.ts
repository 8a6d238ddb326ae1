import { DAY_MS, parseInstant } from './time.ts'

/**
 * A smaller number is seconds since the epoch (until the year 5138). Others are milliseconds (since
 * 1973), microseconds or nanoseconds.
 */
const SECONDS_BELOW = 1e11
const MILLISECONDS_BELOW = 1e14
const MICROSECONDS_BELOW = 1e17

const EPOCH = /^\d{1,19}(?:\.\d+)?$/
const CLOCK = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/

/**
 * Parses a moment as files and devices write it. Returns whole milliseconds since the epoch, or
 * undefined. Accepts seconds, milliseconds, microseconds or nanoseconds since the epoch, and ISO 8601 with `T` or a space,
 * with `Z`, an offset (minutes optional), `UTC` or nothing, and with 24:00 for the end of a day. Without an offset it is
 * read as UTC; see `isLocalTime`.
 */
export function parseMoment(value: unknown): number | undefined {
  if (typeof value === 'number') return ofEpoch(value)
  if (typeof value !== 'string') return undefined
  return ofClock(value) ?? ofText(value.trim())
}

/** Whether a moment has the form of a local clock, with neither `Z` nor an offset. */
export function isLocalTime(value: unknown): boolean {
  if (typeof value !== 'string' || value.endsWith('Z')) return false
  const match = CLOCK.exec(value.trim())
  return match !== null && match[3] === undefined
}

function ofText(text: string): number | undefined {
  if (EPOCH.test(text)) return ofEpoch(Number(text))
  const match = CLOCK.exec(text)
  if (match === null) return undefined
  const [, day, clock, zone = 'Z'] = match
  const offset = zone === 'UTC' ? 'Z' : zone.length === 3 ? `${zone}:00` : zone
  const isEndOfDay = END_OF_DAY.test(clock!)
  const moment = parseInstant(`${day}T${isEndOfDay ? '00:00' : clock}${offset}`)
  return moment === undefined ? undefined : Math.floor(moment) + (isEndOfDay ? DAY_MS : 0)
}

const END_OF_DAY = /^24:00(?::00(?:\.0+)?)?$/

function ofEpoch(value: number): number | undefined {
  if (!(value >= 0)) return undefined
  if (value >= MICROSECONDS_BELOW) return Math.floor(value / 1e6)
  if (value >= MILLISECONDS_BELOW) return Math.floor(value / 1e3)
  if (value >= SECONDS_BELOW) return Math.floor(value)
  // A double holds a present moment to some microseconds. Finer digits are noise.
  return Math.floor(Math.round(value * 1e6) / 1000)
}

/** Midnights by day and offset, kept because reading one takes microseconds. */
const midnights = new Map<string, number | undefined>()
const MIDNIGHTS = 1000

/** The last one asked for, because most rows are of the same day as the previous row. */
let last = { day: 'none', offset: '', midnight: undefined as number | undefined }

/** Reads the form of nearly all files fast: `YYYY-MM-DDTHH:MM:SS[.fraction]` and an offset. */
function ofClock(text: string): number | undefined {
  if (text.length < 19) return undefined
  const separator = text.charCodeAt(10)
  if (separator !== 84 && separator !== 32) return undefined
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return undefined
  const hours = twoDigits(text, 11)
  const minutes = twoDigits(text, 14)
  const seconds = twoDigits(text, 17)
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined
  const end = endOfFraction(text)
  const midnight = midnightOf(text, end)
  if (midnight === undefined) return undefined
  const milliseconds = end === 19 ? 0 : Number(text.slice(20, Math.min(end, 23)).padEnd(3, '0'))
  return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds
}

function endOfFraction(text: string): number {
  if (text.charCodeAt(19) !== 46) return 19
  let end = 20
  while (text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end += 1
  return end === 20 ? 19 : end
}

/** The longest offset is ` +05:30`. */
const LONGEST_OFFSET = 7

/** The midnight of the day at the beginning of a text, in the offset that starts at `end`. */
function midnightOf(text: string, end: number): number | undefined {
  // A longer text names no midnight, and must not be kept.
  if (text.length - end > LONGEST_OFFSET) return undefined
  if (text.startsWith(last.day) && text.slice(end) === last.offset) return last.midnight
  const day = text.slice(0, 10)
  const offset = text.slice(end)
  const key = day + offset
  if (!midnights.has(key)) {
    if (midnights.size >= MIDNIGHTS) midnights.clear()
    midnights.set(key, ofText(`${day}T00:00:00${offset}`))
  }
  last = { day, offset, midnight: midnights.get(key) }
  return last.midnight
}

/** NaN if they are not two digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
