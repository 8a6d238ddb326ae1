import {
  CHANGE_TYPES,
  CHANGES_FROM,
  type ChangesFrom,
  type ChangeType,
} from '../../domain/change-types.ts'
import { choicesIn, oneOf, readSwitch } from '../parameters/choices.ts'
import { integerIn } from '../parameters/integer.ts'
import { listIn, readIds } from '../parameters/object-ids.ts'
import { invalidCursor, type Refusal, repeatedParameter } from '../refusal.ts'
import type { Query } from '../request/query.ts'

/** The parameters of `/changes`, with the cursor still sealed. Undefined: not given. */
export type ChangesQuery = {
  cursor: string | undefined
  from: ChangesFrom
  limit: number
  waitSeconds: number
  types: readonly ChangeType[] | undefined
  /** Distinct and ascending, with foreign ones. */
  ids: readonly number[] | undefined
  isExact: boolean | undefined
  skipsExhausted: boolean
}

const DEFAULT_LIMIT = 1_000
const MAX_LIMIT = 10_000
const MAX_WAIT_SECONDS = 25
const SINGLE = ['cursor', 'from', 'limit', 'wait', 'skip_exhausted']

/** Reads the parameters. An empty one counts as absent, except `cursor`. */
export function readChangesQuery(query: Query): ChangesQuery | Refusal {
  for (const name of SINGLE) {
    if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
  }
  const value = (name: string) => query.get(name)?.[0] || undefined
  if (query.get('cursor')?.[0] === '') return invalidCursor
  const from = oneOf('from', value('from') ?? 'snapshot', CHANGES_FROM)
  if (typeof from === 'object') return from
  const limit = integerIn('limit', value('limit'), 1, MAX_LIMIT, DEFAULT_LIMIT)
  if (typeof limit === 'object') return limit
  const waitSeconds = integerIn('wait', value('wait'), 0, MAX_WAIT_SECONDS, 0)
  if (typeof waitSeconds === 'object') return waitSeconds
  const skipsExhausted = readSwitch(query, 'skip_exhausted')
  if (typeof skipsExhausted === 'object') return skipsExhausted
  const types = readTypes(query)
  if (types !== undefined && 'status' in types) return types
  const include = choicesIn(query, 'include', ['exact'])
  if (include !== undefined && 'status' in include) return include
  const idsText = listIn(query, 'ids')
  const ids = idsText === '' ? undefined : readIds(idsText)
  if (ids !== undefined && 'status' in ids) return ids
  return {
    cursor: value('cursor'),
    from,
    limit,
    waitSeconds,
    types,
    ids: ids?.sort((a, b) => a - b),
    isExact: include && include.length > 0,
    skipsExhausted,
  }
}

/** Undefined: not given. */
export function readTypes(query: Query): ChangeType[] | Refusal | undefined {
  return choicesIn(query, 'types', CHANGE_TYPES)
}
