import type { RecordType } from '../../domain/change-types.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { HistoryLimits } from '../api.ts'
import { invalidCursor, type Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { readTimeRange } from './history-query.ts'
import { integerIn } from './integer.ts'
import { listIn, readIds } from './object-ids.ts'

/** The parameters of a request for records, with its cursor still sealed. Undefined: not given. */
export type RecordsQuery = {
  range: TimeRange
  limit: number
  cursor: string | undefined
  /** Distinct and ascending, with foreign ones. */
  ids: readonly number[] | undefined
  geofences: readonly number[] | undefined
  sites: readonly number[] | undefined
  minDurationSeconds: number
}

const DEFAULT_LIMIT = 1_000
const MAX_LIMIT = 10_000
/** Ten years. */
const MAX_DURATION_SECONDS = 315_360_000
const SINGLE = ['from_time', 'to_time', 'limit', 'cursor']

/** Reads the parameters. An empty one counts as absent, except `cursor`. */
export function readRecordsQuery(
  query: Query,
  type: RecordType,
  limits: HistoryLimits,
): RecordsQuery | Refusal {
  const hasDuration = type !== 'trips'
  const range = readTimeRange(query, hasDuration ? [...SINGLE, 'min_duration'] : SINGLE, limits)
  if ('status' in range) return range
  const value = (name: string) => query.get(name)?.[0] || undefined
  const limit = integerIn('limit', value('limit'), 1, MAX_LIMIT, DEFAULT_LIMIT)
  if (typeof limit === 'object') return limit
  const duration = hasDuration ? value('min_duration') : undefined
  const minDurationSeconds = integerIn('min_duration', duration, 0, MAX_DURATION_SECONDS, 0)
  if (typeof minDurationSeconds === 'object') return minDurationSeconds
  const lists = { ids: [] as number[], geofences: [] as number[], sites: [] as number[] }
  const names = type === 'visits' ? (['ids', 'geofences', 'sites'] as const) : (['ids'] as const)
  for (const name of names) {
    const text = listIn(query, name)
    const ids = text === '' ? [] : readIds(text, name)
    if ('status' in ids) return ids
    lists[name] = ids.sort((a, b) => a - b)
  }
  if (query.get('cursor')?.[0] === '') return invalidCursor
  const given = (name: keyof typeof lists) => (listIn(query, name) === '' ? undefined : lists[name])
  return {
    range,
    limit,
    cursor: value('cursor'),
    ids: given('ids'),
    geofences: type === 'visits' ? given('geofences') : undefined,
    sites: type === 'visits' ? given('sites') : undefined,
    minDurationSeconds,
  }
}
