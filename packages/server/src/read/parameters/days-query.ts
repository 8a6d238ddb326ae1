import { TIME_ZONE_RULE } from '../../base/domain/setting-rule.ts'
import { DAY_MS, formatDate, parseDate } from '../../base/domain/time/time.ts'
import type { Query } from '../exchange/request.ts'
import {
  type DateParameter,
  datesReversed,
  fromDateRequired,
  invalidDate,
  invalidTimeZone,
  noTextAttribute,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
  toDateRequired,
} from '../refusal.ts'
import { ATTRIBUTES } from './attribute-parameters.ts'
import { SKIP_UNPAID } from './choices.ts'
import { RECORDS_LIMIT } from './number-parameters.ts'
import { ONLY_IDS } from './object-parameters.ts'
import { CURSOR } from './page-cursor.ts'
import { type Asked, isRefusal, type Parameter, parameterSet, text, valueIn } from './parameter.ts'
import { DATE } from './time-range.ts'

/** The first and the last day, counted from 1970-01-01. */
type Dates = { readonly from: number; readonly to: number }

/** `from_date` and `to_date`, both included and required. They are there before any value is read. */
export const DATES: Parameter<Dates> = {
  described: {
    FromDate: {
      name: 'from_date',
      in: 'query',
      required: true,
      description: 'The first day, included.',
      schema: DATE,
      example: '2026-11-16',
    },
    ToDate: {
      name: 'to_date',
      in: 'query',
      required: true,
      description: 'The last day, included. Not earlier than `from_date`.',
      schema: DATE,
      example: '2026-11-20',
    },
  },
  single: ['from_date', 'to_date'],
  refuse(query) {
    const isPresent = (name: DateParameter) => query.get(name)?.some((value) => value !== '')
    if (!isPresent('from_date')) return fromDateRequired
    return isPresent('to_date') ? undefined : toDateRequired
  },
  read(query, { maxHistoryDays }) {
    const from = readDate(query, 'from_date')
    if (typeof from === 'object') return from
    const to = readDate(query, 'to_date')
    if (typeof to === 'object') return to
    if (from > to) return datesReversed
    if (maxHistoryDays !== null && to - from >= maxHistoryDays) {
      return rangeAboveMaximum(maxHistoryDays, 'date')
    }
    return { from, to }
  },
  write: ({ from, to }) => ({ from_date: formatDate(from), to_date: formatDate(to) }),
  refusals: [fromDateRequired, toDateRequired, invalidDate('to_date', '2026-02-30'), datesReversed],
}

/** The same, `maximum` days at most. */
export function datesOf(maximum: number): Parameter<Dates> {
  return {
    ...DATES,
    read(query, context) {
      const dates = DATES.read(query, context)
      if (isRefusal(dates) || dates.to - dates.from < maximum) return dates
      return rangeAboveMaximum(maximum, 'date')
    },
  }
}

/** The day as a number, or a refusal. */
function readDate(query: Query, name: DateParameter): number | Refusal {
  const text = query.get(name)![0]!
  const midnight = parseDate(text)
  return midnight === undefined ? invalidDate(name, text) : midnight / DAY_MS
}

const TZ = text(
  'TimeZone',
  'tz',
  'The IANA time zone in which days begin and end, and of the times in xlsx, such as `Europe/Madrid`. Without it, the time zone of your organization, which is UTC unless the operator has set another.',
)

export const TIME_ZONE: Parameter<string> = {
  described: {
    ...TZ.described,
    ...text('TimeZoneName', 'time_zone', 'Alias of `tz`. Use one of the two.').described,
  },
  single: ['tz', 'time_zone'],
  read(query, { timeZone }) {
    const [tz, named] = [valueIn(query, 'tz'), valueIn(query, 'time_zone')]
    if (tz !== undefined && named !== undefined) return repeatedParameter('tz')
    const zone = tz ?? named ?? timeZone
    return TIME_ZONE_RULE.holds(zone) ? zone : invalidTimeZone(zone)
  },
  write: (tz) => ({ tz }),
  refusals: [invalidTimeZone('Middle/Earth')],
}

/** The attribute whose texts have a row of each day each. Undefined: a day is one row. */
export const BY: Parameter<string | undefined> = {
  ...text(
    'By',
    'by',
    'The name of an attribute of type `text`, such as `driver`. A day then has a row for each value, and one with null for the rest; together they add up to the day.',
  ),
  write: (by) => (by === undefined ? {} : { by }),
  refusals: [noTextAttribute('fuel_level')],
}

/** The parameters of days, with the cursor still sealed. */
export const DAYS = parameterSet(
  {
    dates: DATES,
    timeZone: TIME_ZONE,
    ids: ONLY_IDS,
    by: BY,
    attributes: ATTRIBUTES,
    limit: RECORDS_LIMIT,
    cursor: CURSOR,
    skipsExhausted: SKIP_UNPAID,
  },
  ['dates', 'timeZone', 'limit', 'cursor', 'by', 'attributes', 'ids', 'skipsExhausted'],
)
export type DaysQuery = Asked<typeof DAYS>
