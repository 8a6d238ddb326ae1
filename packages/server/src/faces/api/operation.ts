import { distance } from 'fastest-levenshtein'
import type { KeyOperation } from '../../base/domain/key-scope.ts'
import type { Answer, Call, Prepared } from '../../read/call.ts'
import type { Tag } from '../../read/encode/tags.ts'
import type { Query } from '../../read/exchange/request.ts'
import type { Format } from '../../read/formats/formats.ts'
import type { ParameterSet } from '../../read/parameters/parameter.ts'
import { type Refusal, unknownParameter } from '../../read/refusal.ts'
import type { DescribedResult } from '../../read/schemas/schemas.ts'
import type { ErrorResponseName, HeaderName } from './documentation/responses.ts'
import { SHEET_PARAMETERS } from './workbook-answer.ts'

/*
 * The form of an operation: its description, and the parameters that it does not know.
 */

/** The global prefix and version of every path. */
export const PREFIX = '/public/v1'

/** An operation of the contract, with its description. `pipeline.ts` runs the checks before it. */
export type Operation = PublicOperation | KeyedOperation

type Described = {
  /** The operation's id in openapi.json, and its name in logs and metrics. */
  readonly id: string
  /** The path below the prefix. Only its second segment may be `{id}`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /** All but format and headers, which follow from the rest. */
  readonly parameters: ParameterSet
  /** Text about its 200. */
  readonly success: string
  /** The result of its 200. */
  readonly result: DescribedResult
  /** Headers of its 200 that do not follow from the rest. */
  readonly headers?: readonly HeaderName[]
  /** Examples of its 400. Empty if no parameter can be wrong. */
  readonly badRequests: readonly Refusal[]
  /** Its errors that do not follow from the rest, without 400. */
  readonly errors?: Readonly<Record<number, ErrorResponseName>>
}

type PublicOperation = Described & { readonly isPublic: true; run(): Answer }

export type KeyedOperation = Described & {
  readonly isPublic: false
  /** Whether it is an operation of the contract, which ignores parameters that it does not know. */
  readonly isContract?: true
  /** Whether its answers have an entity tag. */
  readonly hasEntityTag?: true
  /** Whether it counts in the daily quota of objects. */
  readonly isCharged?: true
  /** Whether it answers with server-sent events too. */
  readonly isStream?: true
  /** Whether it is a position endpoint, which requires an active subscription. */
  readonly isPosition: boolean
  /** The operations that the scope of a key has to name. */
  readonly openedBy: readonly KeyOperation[]
  /** The formats in which it answers, JSON first. Absent: JSON alone. */
  readonly formats?: readonly Format[]
  /**
   * The operation's own checks of parameters and object, if they are cheap: the rate window, which is
   * asked afterwards, may still refuse.
   */
  prepare(call: Call): Refusal | Prepared | Promise<Refusal | Prepared>
}

/** More names than these, and more characters of a name, are left out of the header. */
const MAX_NAMES = 10
const MAX_CHARACTERS = 40

const NONE: readonly string[] = []

/** The names in a query that an operation does not know in a format. */
export function unknownParameters(
  operation: KeyedOperation,
  query: Query,
  format: Format | Refusal,
): readonly string[] {
  if (query.size === 0) return NONE
  const known = knownNames(operation)
  const more = format === 'xlsx' ? SHEET_PARAMETERS : NONE
  return [...query.keys()].filter((name) => !known.has(name) && !more.includes(name))
}

/** The names that callers try for a parameter, in addition to its own. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  ids: ['object', 'vehicle', 'device'],
}

/** Suggests the nearest name of the operation's parameters. */
export function refuseUnknown(operation: KeyedOperation, name: string): Refusal {
  const asked = name.slice(0, MAX_CHARACTERS)
  const ranked = [...knownNames(operation)].flatMap((known) =>
    [known, ...(OTHER_NAMES[known] ?? [])].map((each) => ({
      known,
      by: nameDistance(asked, each),
    })),
  )
  const nearest = ranked.reduce((best, each) => (each.by < best.by ? each : best))
  return unknownParameter(name, nearest.known)
}

/**
 * The number of letters to change, whatever their case; or, if that is less, 1 + the number for the nearest pair of
 * words of the two names: `object_id` is near `ids`. Words of which half or more would have to change do not match.
 */
function nameDistance(asked: string, known: string): number {
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase()
  let nearest = distance(plain(asked), plain(known))
  for (const word of asked.split('_')) {
    for (const other of known.split('_')) {
      const letters = distance(word, other)
      if (2 * letters < other.length) nearest = Math.min(nearest, 1 + letters)
    }
  }
  return nearest
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
