import type { HistoryLimits } from '../api.ts'
import { type Refusal, rangeAboveMaximum } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { type DaysQuery, readDates } from './days-query.ts'
import { listIn, readIds } from './object-ids.ts'

/** The parameters of a request for coverage. */
export type CoverageQuery = Pick<DaysQuery, 'from' | 'to' | 'ids'>

/** A year. The answer has a row for each object and day. */
const MAX_DAYS = 366
const SINGLE = ['from_date', 'to_date']

export function readCoverageQuery(query: Query, limits: HistoryLimits): CoverageQuery | Refusal {
  const dates = readDates(query, SINGLE, limits)
  if ('status' in dates) return dates
  if (dates.to - dates.from >= MAX_DAYS) return rangeAboveMaximum(MAX_DAYS, 'date')
  const list = listIn(query, 'ids')
  const ids = list === '' ? undefined : readIds(list)
  if (ids !== undefined && 'status' in ids) return ids
  return { ...dates, ids: ids?.sort((a, b) => a - b) }
}
