import type { TimeRange } from '../../domain/time/time-range.ts'
import type { HistoryLimits } from '../api.ts'
import { invalidId, objectRequired, type Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { readTimeRange } from './history-query.ts'
import { parseObjectId } from './object-id.ts'

/** The parameters of a request for the adherence to a route. */
export type AdherenceQuery = { range: TimeRange; object: number }

const SINGLE = ['from_time', 'to_time', 'object']

/** Reads the parameters in the order in which they are refused. An empty one counts as missing. */
export function readAdherenceQuery(query: Query, limits: HistoryLimits): AdherenceQuery | Refusal {
  const range = readTimeRange(query, SINGLE, limits)
  if ('status' in range) return range
  const text = query.get('object')?.[0] || undefined
  if (text === undefined) return objectRequired
  const object = parseObjectId(text)
  return object === undefined ? invalidId(text, 'object') : { range, object }
}
