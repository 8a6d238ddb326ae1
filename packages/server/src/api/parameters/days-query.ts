import { TIME_ZONE_RULE } from '../../domain/settings/time-zone-rule.ts'
import { DAY_MS, parseDate } from '../../domain/time/time.ts'
import type { HistoryLimits } from '../api.ts'
import {
  type DateParameter,
  datesReversed,
  fromDateRequired,
  invalidCursor,
  invalidDate,
  invalidTimeZone,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
  toDateRequired,
} from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { integerIn } from './integer.ts'
import { listIn, readIds } from './object-ids.ts'

/** The parameters of a request for days, with its cursor still sealed. Undefined: not given. */
export type DaysQuery = {
  /** The first and the last day, counted from 1970-01-01. */
  from: number
  to: number
  timeZone: string
  limit: number
  cursor: string | undefined
  /** Distinct and ascending, with foreign ones. */
  ids: readonly number[] | undefined
}

const DEFAULT_LIMIT = 1_000
const MAX_LIMIT = 10_000
const SINGLE = ['from_date', 'to_date', 'tz', 'limit', 'cursor']

/** Reads the parameters. An empty one counts as absent, except `cursor`. `timeZone`: the default. */
export function readDaysQuery(
  query: Query,
  timeZone: string,
  limits: HistoryLimits,
): DaysQuery | Refusal {
  const value = (name: string) => query.get(name)?.[0] || undefined
  const dates = readDates(query, SINGLE, limits)
  if ('status' in dates) return dates
  const zone = value('tz') ?? timeZone
  if (!TIME_ZONE_RULE.holds(zone)) return invalidTimeZone(zone)
  const limit = integerIn('limit', value('limit'), 1, MAX_LIMIT, DEFAULT_LIMIT)
  if (typeof limit === 'object') return limit
  const list = listIn(query, 'ids')
  const ids = list === '' ? undefined : readIds(list)
  if (ids !== undefined && 'status' in ids) return ids
  if (query.get('cursor')?.[0] === '') return invalidCursor
  return {
    ...dates,
    ...{ timeZone: zone, limit, cursor: value('cursor') },
    ids: ids?.sort((a, b) => a - b),
  }
}

/**
 * Reads `from_date` and `to_date`, which are required. `single`: the parameters of the operation that may be given only
 * once, and these two.
 */
export function readDates(
  query: Query,
  single: readonly string[],
  { maxHistoryDays }: HistoryLimits,
): Pick<DaysQuery, 'from' | 'to'> | Refusal {
  const isPresent = (name: DateParameter) => query.get(name)?.some((value) => value !== '') ?? false
  if (!isPresent('from_date')) return fromDateRequired
  if (!isPresent('to_date')) return toDateRequired
  for (const name of single) {
    if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
  }
  const from = readDate(query, 'from_date')
  if (typeof from === 'object') return from
  const to = readDate(query, 'to_date')
  if (typeof to === 'object') return to
  if (from > to) return datesReversed
  if (maxHistoryDays !== null && to - from >= maxHistoryDays) {
    return rangeAboveMaximum(maxHistoryDays, 'date')
  }
  return { from, to }
}

/** The day as a number, or a refusal. */
function readDate(query: Query, name: DateParameter): number | Refusal {
  const text = query.get(name)![0]!
  const midnight = parseDate(text)
  return midnight === undefined ? invalidDate(name, text) : midnight / DAY_MS
}
