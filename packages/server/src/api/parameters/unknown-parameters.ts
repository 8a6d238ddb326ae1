import { distance } from 'fastest-levenshtein'
import type { KeyedOperation } from '../operation.ts'
import { type Refusal, unknownParameter } from '../refusal.ts'
import type { Query } from '../request/request.ts'

/** More names than these, and more characters of a name, are left out of the header. */
const MAX_NAMES = 10
const MAX_CHARACTERS = 40

const NONE: readonly string[] = []

/** The names in a query that an operation does not know. */
export function unknownParameters(operation: KeyedOperation, query: Query): readonly string[] {
  if (query.size === 0) return NONE
  const known = knownNames(operation)
  return [...query.keys()].filter((name) => !known.has(name))
}

/** Suggests the nearest name of the operation's parameters. */
export function refuseUnknown(operation: KeyedOperation, name: string): Refusal {
  const asked = name.slice(0, MAX_CHARACTERS)
  const ranked = Array.from(knownNames(operation), (known) => ({
    known,
    by: farBetween(asked, known),
  }))
  const nearest = ranked.reduce((best, each) => (each.by < best.by ? each : best))
  return unknownParameter(name, nearest.known)
}

/** The letters to change, or one more than those between a word of each name: `object_id` is near `ids`. */
function farBetween(asked: string, known: string): number {
  let far = distance(asked, known)
  for (const word of asked.split('_')) {
    for (const other of known.split('_')) far = Math.min(far, 1 + distance(word, other))
  }
  return far
}

/** The header of an answer that ignored parameters. */
export function ignoredHeader(names: readonly string[]): readonly [string, string] {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => name.slice(0, MAX_CHARACTERS).toWellFormed())
  return ['X-Ignored-Parameters', shown.map(encodeURIComponent).join(',')]
}

const knownByOperation = new WeakMap<KeyedOperation, ReadonlySet<string>>()

/** Each operation reads `format`. */
function knownNames(operation: KeyedOperation): ReadonlySet<string> {
  const known = knownByOperation.get(operation)
  if (known !== undefined) return known
  const described = operation.parameters.documented.flatMap((each) => Object.values(each.described))
  const inQuery = described.filter((each) => 'in' in each && each.in === 'query')
  const names = new Set(['format', ...inQuery.map((each) => (each as { name: string }).name)])
  knownByOperation.set(operation, names)
  return names
}
