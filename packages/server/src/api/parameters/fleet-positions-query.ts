import type { TimeRange } from '../../domain/time/time-range.ts'
import type { HistoryLimits } from '../api.ts'
import type { Columns } from '../encode/formats/position-form.ts'
import { idsRequired, invalidCursor, type Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { readColumns } from './columns.ts'
import { readTimeRange } from './history-query.ts'
import { integerIn } from './integer.ts'
import { listIn, readIds } from './object-ids.ts'
import { readStep } from './step.ts'

/** The parameters of a request for the positions of several objects, with its cursor still sealed. */
export type FleetPositionsQuery = {
  range: TimeRange
  /** Distinct, in the order asked, with foreign ones. */
  ids: readonly number[]
  limit: number
  stepMs: number | null
  cursor: string | undefined
  columns: Columns
}

const DEFAULT_LIMIT = 1_000
export const MAX_PAGE_ROWS = 10_000
const SINGLE = ['from_time', 'to_time', 'limit', 'cursor', 'step']

/** Reads the parameters. An empty one counts as absent, except `cursor`. */
export function readFleetPositionsQuery(
  query: Query,
  limits: HistoryLimits,
): FleetPositionsQuery | Refusal {
  const range = readTimeRange(query, SINGLE, limits)
  if ('status' in range) return range
  const list = listIn(query, 'ids')
  if (list === '') return idsRequired
  const ids = readIds(list)
  if ('status' in ids) return ids
  const most = Math.min(MAX_PAGE_ROWS, limits.maxHistoryRows ?? MAX_PAGE_ROWS)
  const limitText = query.get('limit')?.[0] || undefined
  const limit = integerIn('limit', limitText, 1, most, Math.min(DEFAULT_LIMIT, most))
  if (typeof limit === 'object') return limit
  const stepMs = readStep(query)
  if (stepMs !== null && typeof stepMs === 'object') return stepMs
  const columns = readColumns(query)
  if ('status' in columns) return columns
  const cursor = query.get('cursor')?.[0]
  return cursor === '' ? invalidCursor : { range, ids, limit, stepMs, cursor, columns }
}
