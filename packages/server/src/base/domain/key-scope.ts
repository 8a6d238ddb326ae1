import { ATTRIBUTE_RULES, MAX_ENTRIES } from './attributes/catalogue.ts'
import { byTopic, type ChangeType, ITEM_TOPICS, LIST_TOPICS } from './items.ts'
import { RATE_WINDOW } from './limits.ts'
import {
  breach,
  choices,
  described,
  type Fault,
  matching,
  objectIds,
  optional,
  type Rules,
  texts,
  wholeNumber,
} from './setting-rule.ts'
import {
  DAY_MS,
  formatInstant,
  LAST_TIME,
  parseDate,
  parseInstant,
  type TimeRange,
} from './time/time.ts'

/** The operations that a scope names. Each stands for one or more operations of the API. */
export const KEY_OPERATIONS = [
  'objects',
  'detail',
  'positions',
  'changes',
  'records',
  ...LIST_TOPICS,
  'coverage',
] as const
export type KeyOperation = (typeof KEY_OPERATIONS)[number]

/** The part of an organization that a key opens. A null field limits nothing. */
export type KeyScope = {
  /** In the order of `KEY_OPERATIONS`. */
  readonly operations: readonly KeyOperation[] | null
  /** The ids of objects, ascending. */
  readonly objects: readonly number[] | null
  /** The first and the last `time_device` of visible positions, milliseconds since the epoch. */
  readonly dataFrom: number | null
  readonly dataUntil: number | null
  /** The names of attributes, ascending. */
  readonly attributes: readonly string[] | null
  /** The requests of a rate window that the key may use. */
  readonly windowShare: number | null
}

function opens(scope: KeyScope | null, operation: KeyOperation): boolean {
  return scope?.operations?.includes(operation) ?? true
}

export function opensAll(scope: KeyScope | null, operations: readonly KeyOperation[]): boolean {
  return scope === null || operations.every((each) => opens(scope, each))
}

/** The times of visible positions. Null: all. */
export function dataRangeOf({ dataFrom, dataUntil }: KeyScope): TimeRange | null {
  if (dataFrom === null && dataUntil === null) return null
  return { from: dataFrom ?? 0, to: dataUntil ?? LAST_TIME }
}

export function isWithin(range: TimeRange | null, time: number): boolean {
  return range === null || (time >= range.from && time <= range.to)
}

/**
 * A text that is the same for scopes that show the same. Cursors and entity tags are bound to it. Undefined: the scope
 * hides nothing. The share of the window is not in it, because it hides nothing.
 */
export function sightOf(scope: KeyScope | null): string | undefined {
  if (scope === null) return undefined
  const { operations, objects, dataFrom, dataUntil, attributes } = scope
  // A scope that names no attributes has the text that it had before scopes could.
  const named = attributes === null ? [] : [attributes]
  const limits = [operations, objects, dataFrom, dataUntil, ...named]
  return limits.every((limit) => limit === null) ? undefined : JSON.stringify(limits)
}

/** The operations that open each type of changes: any of them does. */
const OPENED_BY: Readonly<Record<ChangeType, readonly KeyOperation[]>> = {
  positions: ['positions'],
  states: ['detail', 'positions'],
  ...byTopic(ITEM_TOPICS, (topic) => [topic]),
  trips: ['records'],
  stops: ['records'],
  visits: ['records'],
  levels: ['records'],
}

/** Whether a key with this scope may read changes of a type. */
export function opensType(scope: KeyScope | null, type: ChangeType): boolean {
  return OPENED_BY[type].some((operation) => opens(scope, operation))
}

/** A scope as the operator writes it. Times are text: a date or a moment. */
export type ScopeSettings = {
  operations: readonly string[] | null
  objects: readonly number[] | null
  dataFrom: string | null
  dataUntil: string | null
  attributes: readonly string[] | null
  windowShare: number | null
}

const MAX_SCOPE_OBJECTS = 1_000

/** The word for no limit on the command line. */
const ALL = 'all'

const MOMENT = optional(
  matching(
    'a date such as 2026-11-20 or a moment such as 2026-11-20T10:00:00Z',
    (value) => parseDate(value) !== undefined || parseInstant(value) !== undefined,
    { pattern: /^\d{4}-?\d{2}-?\d{2}/.source },
  ),
)

export const SCOPE_RULES: Rules<ScopeSettings> = {
  operations: described(optional(choices(KEY_OPERATIONS)), {
    description: 'The operations that the key can use. Null: all.',
    help: `operations that it can use, separated by commas: ${KEY_OPERATIONS.join(', ')}, or ${ALL}`,
    none: ALL,
  }),
  objects: described(optional(objectIds(MAX_SCOPE_OBJECTS)), {
    description: 'The objects that the key can read. Null: all.',
    help: `ids of objects that it can read, separated by commas, or ${ALL}`,
    none: ALL,
  }),
  dataFrom: described(MOMENT, {
    description:
      'The first `time_device` that the key shows; a date means its beginning in UTC. Null: any.',
    help: `the first time that it shows: ${MOMENT.says}, or ${ALL}`,
    none: ALL,
    placeholder: 'when',
  }),
  dataUntil: described(MOMENT, {
    description:
      'The last `time_device` that the key shows; a date means its end in UTC. Null: any.',
    help: `the last time that it shows: ${MOMENT.says}, or ${ALL}`,
    none: ALL,
    placeholder: 'when',
  }),
  attributes: described(
    optional(
      texts('a list of names of attributes', MAX_ENTRIES, (name) =>
        ATTRIBUTE_RULES.name.holds(name),
      ),
    ),
    {
      description: 'The attributes of the catalogue that the key shows. Null: all public ones.',
      help: `names of attributes that it shows, separated by commas, or ${ALL}`,
      none: ALL,
    },
  ),
  windowShare: described(optional(wholeNumber(1, RATE_WINDOW.maxRequests)), {
    description:
      'The requests of each rate window that the key may use, at most those of its organization. Null: all of them. An administrator of the organization does not raise it.',
    help: `how many requests of each rate window it may use, or ${ALL}`,
    none: ALL,
    placeholder: 'requests',
  }),
}

/** A date means its first millisecond as `data_from`, and its last one as `data_until`, as in a history. */
export function readScope(settings: Partial<ScopeSettings>): KeyScope | Fault {
  const { operations, objects, dataFrom, dataUntil, attributes, windowShare } = settings
  const scope: KeyScope = {
    operations: operations ? KEY_OPERATIONS.filter((each) => operations.includes(each)) : null,
    objects: objects ? [...new Set(objects)].sort((a, b) => a - b) : null,
    dataFrom: dataFrom ? (parseDate(dataFrom) ?? Math.ceil(parseInstant(dataFrom)!)) : null,
    dataUntil: dataUntil ? lastMomentOf(dataUntil) : null,
    attributes: attributes ? [...new Set(attributes)].sort() : null,
    windowShare: windowShare ?? null,
  }
  const isReversed = (scope.dataFrom ?? 0) > (scope.dataUntil ?? Number.POSITIVE_INFINITY)
  return isReversed ? { field: 'data_from', rule: 'must not be later than data_until' } : scope
}

/** The fault of a share above the requests that the window of the organization admits. */
export function shareFault(
  { windowShare }: KeyScope,
  { windowRequests }: { readonly windowRequests: number },
): Fault | undefined {
  const rule = optional(wholeNumber(1, windowRequests))
  return rule.holds(windowShare)
    ? undefined
    : { field: 'window_share', rule: breach(rule, windowShare) }
}

function lastMomentOf(written: string): number {
  const date = parseDate(written)
  return date === undefined ? Math.floor(parseInstant(written)!) : date + DAY_MS - 1
}

/** Null for a scope that limits nothing. */
export function limitedOrNull(scope: KeyScope): KeyScope | null {
  return Object.values(scope).every((limit) => limit === null) ? null : scope
}

/** The documented form of a scope, which `readScope` reads. It has `attributes` if they are limited. */
export function scopeDocument(scope: KeyScope | null) {
  if (scope === null) return null
  const { attributes } = scope
  return {
    operations: scope.operations,
    objects: scope.objects,
    data_from: scope.dataFrom === null ? null : formatInstant(scope.dataFrom),
    data_until: scope.dataUntil === null ? null : formatInstant(scope.dataUntil),
    window_share: scope.windowShare,
    ...(attributes !== null && { attributes }),
  }
}
