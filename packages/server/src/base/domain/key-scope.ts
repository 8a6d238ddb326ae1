import {
  GRANT_RULES,
  GRANTS_RULE,
  type Grant,
  type GrantSettings,
  grantDocument,
  isReversed,
  limitingOrNull,
  readGrant,
  readGrants,
  UNLIMITED,
} from './grant.ts'
import { byTopic, type ChangeType, ITEM_TOPICS, LIST_TOPICS } from './item-rules.ts'
import { RATE_WINDOW } from './limits.ts'
import {
  breach,
  choices,
  described,
  type Fault,
  optional,
  type Rules,
  wholeNumber,
} from './setting-rule.ts'

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
  readonly grants: readonly Grant[] | null
  /** The requests of a rate window that the key may use. */
  readonly windowShare: number | null
}

function opens(scope: KeyScope | null, operation: KeyOperation): boolean {
  return scope?.operations?.includes(operation) ?? true
}

export function opensAll(scope: KeyScope | null, operations: readonly KeyOperation[]): boolean {
  return scope === null || operations.every((each) => opens(scope, each))
}

/** Texts of scopes, because each request asks for that of its key. */
const sights = new WeakMap<KeyScope, string>()

/**
 * A text that is the same for scopes that show the same. Cursors and entity tags are bound to it. Undefined: the scope
 * hides nothing. The share of the window is not in it, because it hides nothing.
 */
export function sightOf(scope: KeyScope | null): string | undefined {
  if (scope === null || (scope.operations === null && scope.grants === null)) return undefined
  const known = sights.get(scope) ?? JSON.stringify([scope.operations, scope.grants])
  sights.set(scope, known)
  return known
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

/**
 * A scope as the operator writes it. Times are text: a date or a moment. It has grants, or is limited to one grant of
 * these objects, times and attributes.
 */
export type ScopeSettings = {
  operations: readonly string[] | null
  objects: readonly number[] | null
  dataFrom: string | null
  dataUntil: string | null
  attributes: readonly string[] | null
  grants: readonly Partial<GrantSettings>[] | null
  windowShare: number | null
}

/** The word for no limit on the command line. */
const ALL = 'all'

export const SCOPE_RULES: Rules<ScopeSettings> = {
  operations: described(optional(choices(KEY_OPERATIONS)), {
    description: 'The operations that the key can use. Null: all.',
    help: `operations that it can use, separated by commas: ${KEY_OPERATIONS.join(', ')}, or ${ALL}`,
    none: ALL,
  }),
  objects: GRANT_RULES.objects,
  dataFrom: GRANT_RULES.from,
  dataUntil: GRANT_RULES.until,
  attributes: GRANT_RULES.attributes,
  grants: described(optional(GRANTS_RULE), {
    description:
      'Several grants, instead of `objects`, `data_from`, `data_until` and `attributes`: the key can read what any of them shows. Null: none.',
  }),
  windowShare: described(optional(wholeNumber(1, RATE_WINDOW.maxRequests)), {
    description:
      'The requests of each rate window that the key may use, at most as many as its organization has. Null: all of them. An administrator of the organization cannot raise it.',
    help: `how many requests of each rate window it may use, or ${ALL}`,
    none: ALL,
    placeholder: 'requests',
  }),
}

/** A date means its first millisecond as `data_from`, and its last one as `data_until`, as in a history. */
export function readScope(settings: Partial<ScopeSettings>): KeyScope | Fault {
  const { operations, windowShare } = settings
  const grants = grantsIn(settings)
  if ('rule' in grants) return grants
  return {
    operations: operations ? KEY_OPERATIONS.filter((each) => operations.includes(each)) : null,
    grants: limitingOrNull(grants),
    windowShare: windowShare ?? null,
  }
}

function grantsIn(settings: Partial<ScopeSettings>): readonly Grant[] | Fault {
  const { grants, objects, dataFrom: from, dataUntil: until, attributes } = settings
  const isPlain = [objects, from, until, attributes].some((limit) => limit != null)
  if (grants && isPlain) {
    const rule = 'cannot be combined with objects, data_from, data_until or attributes'
    return { field: 'grants', rule }
  }
  if (grants) return readGrants(grants)
  const grant = readGrant({ objects, from, until, attributes })
  const rule = 'must not be later than data_until'
  return isReversed(grant) ? { field: 'data_from', rule } : [grant]
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

/** Null for a scope that limits nothing. */
export function limitedOrNull(scope: KeyScope): KeyScope | null {
  return Object.values(scope).every((limit) => limit === null) ? null : scope
}

/**
 * The documented form of a scope, which `readScope` reads: with its only grant, and `attributes` if that limits them,
 * or with `grants`.
 */
export function scopeDocument(scope: KeyScope | null) {
  if (scope === null) return null
  const { operations, grants, windowShare: window_share } = scope
  if (grants !== null && grants.length > 1) {
    return { operations, grants: grants.map(grantDocument), window_share }
  }
  const { objects, from, until, attributes } = grantDocument(grants?.[0] ?? UNLIMITED)
  const named = attributes !== null && { attributes }
  return { operations, objects, data_from: from, data_until: until, window_share, ...named }
}
