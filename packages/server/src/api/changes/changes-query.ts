import {
  CHANGE_TYPES,
  CHANGES_FROM,
  type ChangesFrom,
  type ChangeType,
} from '../../domain/change-types.ts'
import { invalidChoice, invalidCursor, type Refusal, repeatedParameter } from '../refusal.ts'
import { integerIn } from '../request/integer.ts'
import { listIn, readIds } from '../request/object-ids.ts'
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
  const skips = oneOf('skip_exhausted', value('skip_exhausted') ?? 'false', ['true', 'false'])
  if (typeof skips === 'object') return skips
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
    skipsExhausted: skips === 'true',
  }
}

/** Undefined: not given. */
export function readTypes(query: Query): ChangeType[] | Refusal | undefined {
  return choicesIn(query, 'types', CHANGE_TYPES)
}

function oneOf<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice | Refusal {
  return choices.find((choice) => choice === text) ?? invalidChoice(name, text, choices)
}

/** The distinct words of a list, in the order of the choices. Undefined if the list is absent or empty. */
function choicesIn<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice[] | Refusal | undefined {
  const text = listIn(query, name)
  if (text === '') return undefined
  const words = new Set(text.split(',').map((word) => word.trim()))
  const unknown = [...words].find((word) => !choices.some((choice) => choice === word))
  if (unknown !== undefined) return invalidChoice(name, unknown, choices)
  return choices.filter((choice) => words.has(choice))
}
