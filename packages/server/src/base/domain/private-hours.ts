import { DAY_MS, LAST_TIME, MINUTE_MS, parseDate, parseInstant } from './time/time.ts'
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

/** From the first moment on, before the second one. Milliseconds of a week, or since the epoch. */
type Span = readonly [from: number, until: number]

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
 * The spans of a week from Monday, 00:00. Undefined if the text has another form: rules with `;` between them, which add
 * up. Each has days, times, or both. Times that end at or before their start end on the next day.
 */
export function parseWeekly(text: string): Span[] | undefined {
  const spans: Span[] = []
  for (const rule of text.split(/; ?/)) {
    const groups = rule === '' ? undefined : RULE.exec(rule)?.groups
    if (groups === undefined) return undefined
    const { days = 'Mo-Su', times = '00:00-24:00' } = groups
    for (const each of times.split(/, ?/)) {
      const [from, until] = each.split('-').map(clockMs) as [number, number]
      const length = until > from ? until - from : until - from + DAY_MS
      for (const day of days.split(/, ?/).flatMap(daysIn)) {
        const start = day * DAY_MS + from
        spans.push([start, Math.min(start + length, WEEK_MS)])
        // The night after Sunday.
        if (start + length > WEEK_MS) spans.push([0, start + length - WEEK_MS])
      }
    }
  }
  return spans
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

/** The moments of a range. A repeated time at an end of it is in it both times. */
function spanOf([from, until]: [End, End], zone: string): Span {
  const { startOf } = localDays(zone)
  const first = from.isDay
    ? startOf(from.time / DAY_MS)
    : from.isLocal
      ? instantsOf(from.time, zone).first
      : from.time
  const last = until.isDay
    ? startOf(until.time / DAY_MS + 1)
    : until.isLocal
      ? instantsOf(until.time, zone).last
      : until.time
  return [first, last]
}

type Plan = (time: number) => boolean

function compile({ privateHours, privateRanges, privateTimeZone }: PrivateSettings): Plan {
  const zone = privateTimeZone ?? 'UTC'
  const weekly = (privateHours === null ? undefined : parseWeekly(privateHours)) ?? []
  const parsed = (privateRanges === null ? undefined : parseRanges(privateRanges)) ?? []
  const ranges = parsed.map((range) => spanOf(range, zone))
  const { offsetAt } = offsetsOf(zone)
  const isIn = (spans: readonly Span[], at: number) =>
    spans.some(([from, until]) => at >= from && at < until)
  return (time) => {
    if (isIn(ranges, time)) return true
    if (weekly.length === 0) return false
    const local = time + offsetAt(time) + MONDAY_BEFORE_EPOCH_MS
    return isIn(weekly, local - Math.floor(local / WEEK_MS) * WEEK_MS)
  }
}

/** Plans that were used, by their texts: vehicles of a fleet share few. */
const plans = new Map<string, Plan>()
const MAX_PLANS = 1_000

/** Whether a moment is private. `time`: milliseconds since the epoch. One that no calendar has is not. */
export function isPrivate(settings: PrivateSettings, time: number): boolean {
  const { privateHours, privateRanges, privateTimeZone } = settings
  if (privateHours === null && privateRanges === null) return false
  if (!(Math.abs(time) <= LAST_TIME)) return false
  const text = `${privateTimeZone}\n${privateHours}\n${privateRanges}`
  let plan = plans.get(text)
  if (plan === undefined) {
    if (plans.size >= MAX_PLANS) plans.clear()
    plan = compile(settings)
    plans.set(text, plan)
  }
  return plan(time)
}
