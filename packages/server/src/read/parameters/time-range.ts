import {
  DAY_MS,
  formatInstant,
  parseDate,
  parseInstant,
  type TimeRange,
} from '../../base/domain/time/time.ts'
import type { HistoryLimits } from '../api.ts'
import type { Query } from '../exchange/request.ts'
import {
  fromTimeRequired,
  invalidTime,
  type Refusal,
  rangeAboveMaximum,
  rangeReversed,
  type TimeParameter,
  timeRequired,
  toTimeRequired,
} from '../refusal.ts'
import { type Parameter, valueIn } from './parameter.ts'

/** A pattern of the days that exist. */
function dayBy(dash: string): string {
  const long = String.raw`(0[13578]|1[02])${dash}(0[1-9]|[12]\d|3[01])`
  const short = String.raw`(0[469]|11)${dash}(0[1-9]|[12]\d|30)`
  const february = String.raw`02${dash}(0[1-9]|1\d|2[0-8])`
  const leapYear = String.raw`(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)`
  return String.raw`(\d{4}${dash}(${long}|${short}|${february})|${leapYear}${dash}02${dash}29)`
}

/** A pattern of the times of day that exist, with or without an offset. */
function hourBy(colon: string): string {
  const seconds = String.raw`(${colon}[0-5]\d([.,]\d+)?)?`
  return String.raw`T${HOUR}(${colon}[0-5]\d${seconds})?(Z|[+\- ]${HOUR}(:?[0-5]\d)?)?`
}

const HOUR = String.raw`([01]\d|2[0-3])`
const [EXTENDED_DAY, BASIC_DAY] = [dayBy('-'), dayBy('')]

/** The dates that `base/domain/time/time.ts` takes. */
export const DATE = { type: 'string', pattern: `^(${EXTENDED_DAY}|${BASIC_DAY})$` }
/** The dates and moments that it takes. */
export const TIME = {
  type: 'string',
  pattern: `^(${EXTENDED_DAY}(${hourBy(':')})?|${BASIC_DAY}(${hourBy('')})?)$`,
}

const EARLIEST = 0
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const FIRST =
  'date (its first millisecond in UTC) or an ISO 8601 datetime, UTC if it has no offset.'
const LAST = FIRST.replace('first', 'last')
const NOT_EARLIER = 'Not earlier than `from_time`.'

function described(name: TimeParameter, description: string, utc: string, offset: string) {
  return {
    name,
    in: 'query',
    required: true,
    description,
    schema: TIME,
    examples: {
      date: { summary: 'A date', value: '2026-11-20' },
      utc: { summary: 'A moment in UTC', value: utc },
      offset: { summary: 'A moment with an offset', value: offset },
    },
  }
}

const START = ['2026-11-20T08:00:00Z', '2026-11-20T11:00:00+03:00'] as const
const END = ['2026-11-20T10:00:00Z', '2026-11-20T13:00:00+03:00'] as const

/** `from_time` and `to_time`, both included and required. They are there before any value is read. */
const RANGE = {
  single: ['from_time', 'to_time'],
  refuse(query: Query) {
    if (!isPresent(query, 'from_time')) return fromTimeRequired
    return isPresent(query, 'to_time') ? undefined : toTimeRequired
  },
  read: readRange,
  write: ({ from, to }: TimeRange) => ({
    from_time: formatInstant(from),
    to_time: formatInstant(to),
  }),
  refusals: [fromTimeRequired, toTimeRequired, invalidTime('to_time', '2026-02-30'), rangeReversed],
}

/** The range of the positions of an answer. */
export const TIME_RANGE: Parameter<TimeRange> = {
  ...RANGE,
  described: {
    FromTime: described(
      'from_time',
      `Start of the range of \`time_device\`, included: a ${FIRST}`,
      ...START,
    ),
    ToTime: described(
      'to_time',
      `End of the range of \`time_device\`, included: a ${LAST} ${NOT_EARLIER}`,
      ...END,
    ),
  },
}

/** The range that records overlap. */
export const RECORDS_RANGE: Parameter<TimeRange> = {
  ...RANGE,
  described: {
    RecordsFromTime: described(
      'from_time',
      `Start of the range: records that end earlier are left out. A ${FIRST}`,
      ...START,
    ),
    RecordsToTime: described(
      'to_time',
      `End of the range: records that start later are left out. A ${LAST} ${NOT_EARLIER}`,
      ...END,
    ),
  },
}

/** A moment. A date means its first millisecond. */
export const MOMENT: Parameter<number> = {
  described: { Time: described('time', `The moment: a ${FIRST}`, ...START) },
  single: ['time'],
  read(query) {
    const text = valueIn(query, 'time')
    if (text === undefined) return timeRequired
    const time = parseDate(text) ?? parseInstant(text)
    return time === undefined ? invalidTime('time', text) : Math.floor(time)
  },
  refusals: [timeRequired, invalidTime('time', '2026-02-30')],
}

function isPresent(query: Query, name: TimeParameter): boolean {
  return query.get(name)?.some((value) => value !== '') ?? false
}

/** Both ends included. A date means its first millisecond as the start, and its last as the end. */
function readRange(query: Query, { maxHistoryDays }: HistoryLimits): TimeRange | Refusal {
  const fromText = query.get('from_time')![0]!
  const toText = query.get('to_time')![0]!
  const fromDate = parseDate(fromText)
  const toDate = parseDate(toText)
  const from = fromDate ?? parseInstant(fromText)
  if (from === undefined) return invalidTime('from_time', fromText)
  const to = toDate === undefined ? parseInstant(toText) : toDate + DAY_MS - 1
  if (to === undefined) return invalidTime('to_time', toText)
  if (from > to) return rangeReversed
  if (maxHistoryDays !== null && to - from > maxHistoryDays * DAY_MS) {
    return rangeAboveMaximum(maxHistoryDays)
  }
  // Fixes have whole milliseconds: a start in between begins at the later one, an end in between ends at
  // the earlier one. An offset can lead beyond the years that a fix can have and a link can write.
  return { from: Math.max(Math.ceil(from), EARLIEST), to: Math.min(Math.floor(to), LATEST) }
}
