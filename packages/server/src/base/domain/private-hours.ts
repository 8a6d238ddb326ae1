import { joinedRanges, rangeAt } from './time/ranges.ts'
import {
  DAY_MS,
  LAST_TIME,
  MINUTE_MS,
  parseDate,
  parseInstant,
  type TimeRange,
} from './time/time.ts'
import { instantsOf, localDays, offsetsOf } from './time/time-zone.ts'

/*
 * This file reads the private hours of an object: a plan of a week in words, and single ranges of time. A moment is in the
 * plan if a clock in the time zone shows a weekday and a time of the plan: both moments of a repeated time are.
 */

export const WEEKLY_SAYS =
  'weekdays and times such as "Mo-Fr 18:00-08:00; Sa,Su", 1 to 500 characters'
export const RANGES_SAYS =
  'days and ranges such as "2026-12-24, 2026-12-29T12:00/2027-01-04T08:00", 1 to 2000 characters'
export const MAX_WEEKLY = 500
export const MAX_RANGES = 2_000

export type PrivateSettings = {
  /** Null: no weekly plan. */
  privateHours: string | null
  /** Null: no single ranges. */
  privateRanges: string | null
  /** IANA zone name. Null: UTC. */
  privateTimeZone: string | null
}

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']
const WEEK_MS = 7 * DAY_MS
/** The epoch was a Thursday. */
const MONDAY_BEFORE_EPOCH_MS = 3 * DAY_MS

const DAY = `(?:${WEEKDAYS.join('|')})`
const DAYS = `${DAY}(?:-${DAY})?(?:, ?${DAY}(?:-${DAY})?)*`
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`
const TIMES = `${CLOCK}-(?:${CLOCK}|24:00)(?:, ?${CLOCK}-(?:${CLOCK}|24:00))*`
const RULE = new RegExp(`^(?<days>${DAYS})?(?:(?:^| )(?<times>${TIMES}))?$`)

/**
 * The ranges of a week, in milliseconds from Monday, 00:00. Undefined if the text has another form: rules with `;` between them, which add
 * up. Each has days, times, or both. Times that end at or before their start end on the next day.
 */
export function parseWeekly(text: string): TimeRange[] | undefined {
  const ranges: TimeRange[] = []
  for (const rule of text.split(/; ?/)) {
    const groups = rule === '' ? undefined : RULE.exec(rule)?.groups
    if (groups === undefined) return undefined
    const { days = 'Mo-Su', times = '00:00-24:00' } = groups
    for (const each of times.split(/, ?/)) {
      const [from, until] = each.split('-').map(clockMs) as [number, number]
      const length = until > from ? until - from : until - from + DAY_MS
      for (const day of days.split(/, ?/).flatMap(daysIn)) {
        const start = day * DAY_MS + from
        ranges.push(before(start, Math.min(start + length, WEEK_MS)))
        // The night after Sunday.
        if (start + length > WEEK_MS) ranges.push(before(0, start + length - WEEK_MS))
      }
    }
  }
  return ranges
}

/** The milliseconds from one moment on, before another. */
function before(from: number, until: number): TimeRange {
  return { from: Math.ceil(from), to: Math.ceil(until) - 1 }
}

function clockMs(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number)
  return (hours! * 60 + minutes!) * MINUTE_MS
}

/** The numbers of `Mo`, `Mo-Fr` or `Sa-Mo`, from 0 for Monday. */
function daysIn(range: string): number[] {
  const [first, last = first] = range.split('-').map((day) => WEEKDAYS.indexOf(day))
  const count = ((last! - first! + 7) % 7) + 1
  return Array.from({ length: count }, (_, index) => (first! + index) % 7)
}

/** An end of a range as it is written: a local time has no offset. */
type End = { time: number; isDay: boolean; isLocal: boolean }

/** The ranges in the order of the text. Undefined if it has another form. A day alone is a range of this day. */
export function parseRanges(text: string): [End, End][] | undefined {
  const ranges: [End, End][] = []
  for (const range of text.split(/, ?/)) {
    const ends = range.split('/').map(endOf)
    const from = ends[0]
    const until = ends.length === 1 ? from : ends[1]
    if (ends.length > 2 || from === undefined || until === undefined) return undefined
    if (ends.length === 1 && !from.isDay) return undefined
    if (from.isLocal !== until.isLocal) return undefined
    if (until.time + (until.isDay ? DAY_MS : 0) <= from.time) return undefined
    ranges.push([from, until])
  }
  return ranges
}

function endOf(text: string): End | undefined {
  const day = parseDate(text)
  if (day !== undefined) return { time: day, isDay: true, isLocal: true }
  const time = parseInstant(text)
  if (time === undefined) return undefined
  return {
    time,
    isDay: false,
    isLocal: !/Z$|[+\- ]\d\d(?::?\d\d)?$/.test(text.slice(text.indexOf('T'))),
  }
}

/**
 * The first and the last moment at which a clock reaches a local time. It reaches a time that is skipped when it skips it,
 * as in a weekly plan.
 */
function reached(local: number, zone: string): { first: number; last: number } {
  const { offsetAt, changeBetween } = offsetsOf(zone)
  const moments = instantsOf(local, zone)
  if (moments.first + offsetAt(moments.first) === local) return moments
  const change = changeBetween(moments.first - DAY_MS, moments.first)
  return { first: change, last: change }
}

/** The moments of a range. A repeated time at an end of it is in it both times. */
function rangeOf([from, until]: [End, End], zone: string): TimeRange {
  const { startOf } = localDays(zone)
  const first = from.isDay
    ? startOf(from.time / DAY_MS)
    : from.isLocal
      ? reached(from.time, zone).first
      : from.time
  const last = until.isDay
    ? startOf(until.time / DAY_MS + 1)
    : until.isLocal
      ? reached(until.time, zone).last
      : until.time
  return before(first, last)
}

const MAX_KEPT = 1_000

/** Keeps the ranges of texts that were used: vehicles of a fleet share few. */
function kept(read: (text: string, zone: string) => TimeRange[]) {
  const known = new Map<string, TimeRange[]>()
  return (text: string, zone: string): TimeRange[] => {
    const key = `${zone}\n${text}`
    let ranges = known.get(key)
    if (ranges === undefined) {
      ranges = joinedRanges(read(text, zone))
      known.set(key, ranges)
      if (known.size > MAX_KEPT) known.delete(known.keys().next().value!)
    }
    return ranges
  }
}

const weekOf = kept((text) => parseWeekly(text) ?? [])
const rangesOf = kept((text, zone) => (parseRanges(text) ?? []).map((each) => rangeOf(each, zone)))

function isIn(ranges: readonly TimeRange[], time: number): boolean {
  return rangeAt(ranges, Math.floor(time)) !== undefined
}

/** Whether a moment is private. `time`: milliseconds since the epoch. One that no calendar has is not. */
export function isPrivate(settings: PrivateSettings, time: number): boolean {
  const { privateHours, privateRanges, privateTimeZone } = settings
  if (privateHours === null && privateRanges === null) return false
  if (!(Math.abs(time) <= LAST_TIME)) return false
  const zone = privateTimeZone ?? 'UTC'
  if (privateRanges !== null && isIn(rangesOf(privateRanges, zone), time)) return true
  if (privateHours === null) return false
  const local = time + offsetsOf(zone).offsetAt(time) + MONDAY_BEFORE_EPOCH_MS
  return isIn(weekOf(privateHours, zone), local - Math.floor(local / WEEK_MS) * WEEK_MS)
}
