import type { Steps } from './common/steps.ts'
import type { ObjectLimit } from './limits.ts'
import { OBJECT_RULES } from './monitored-object.ts'
import {
  boolean,
  described,
  type Fault,
  ids,
  list,
  oneOf,
  optional,
  type Rules,
  text,
} from './setting-rule.ts'

/** The deployment itself, in calls that take the id of an organization. No organization has this id. */
export const DEPLOYMENT = 0

/** The conditions of rules. Each names values, one of which the packet must have. */
export const RULE_CONDITIONS = ['ident', 'prefix', 'group', 'attribute'] as const
export type RuleCondition = (typeof RULE_CONDITIONS)[number]

/** A rule of the deployment: it assigns idents that no organization owns. */
export type RoutingRule = {
  id: number
  condition: RuleCondition
  /** The name of the attribute. Null with any other condition. */
  attribute: string | null
  /** Idents, beginnings of idents, groups, or values of the attribute. One of them is enough. */
  anyOf: string[]
  /** The organizations that get the ident. */
  organizations: number[]
  /**
   * Whether the organizations own the ident, and get an object. Otherwise it is on their lists of refused idents until
   * somebody creates the object.
   */
  createObjects: boolean
  /** Milliseconds since the epoch. */
  createdAt: number
  /** How many idents it has given an owner. */
  placedIdents: number
  /** When it last gave an ident an owner or, if it makes no objects, when it last matched. Null: never. */
  lastPlacedAt: number | null
}
export type NewRoutingRule = Omit<RoutingRule, 'id' | 'createdAt' | 'placedIdents' | 'lastPlacedAt'>

/** How many rules a deployment may have. A new ident is compared with all of them. */
export const MAX_RULES = 1_000

/** The facts of an ident's packet that rules look at. */
export type RoutedFacts = {
  ident: string
  /** The ids and names of the groups of its device. */
  groups: readonly string[]
  /** The value of an attribute, as text. Undefined if the packet has none of that name. */
  attribute(name: string): string | undefined
}

/** An ident that trackers send with a token of the deployment, and that no organization owns. */
export type WaitingIdent = {
  ident: string
  /** The format of the last packet. */
  format: string
  /** How many packets have come since the ident was put on the list. */
  packets: number
  /** When the first and the last packet came: milliseconds since the epoch. */
  firstAt: number
  lastAt: number
  /** The coordinates of the last packet, degrees. Null if it had no fix. */
  latitude: number | null
  longitude: number | null
  /** The name and the group of the device, if the forward brings them. */
  name: string | null
  group: string | null
  /** The last rule that was tried, and did not match. Null if there was none. */
  rule: number | null
}

/** How many idents wait at most: the ones that sent last. */
export const MAX_WAITING_IDENTS = 10_000

/** An ident, and an organization that owns it. */
export type IdentOwner = { ident: string; organization: number }

/** Values of a rule. */
const MAX_RULE_VALUES = 10_000
/** Organizations that share an ident. */
const MAX_OWNERS = 10

const VALUE = text(64)

const OWNERS = ids(`a list of 1 to ${MAX_OWNERS} ids of organizations, each once`, MAX_OWNERS)

const organizations = described(
  {
    ...OWNERS,
    holds: (value) => OWNERS.holds(value) && isDistinct(value as number[]),
  },
  'The organizations that get its packets, by their ids. With two, each gets an object of its own.',
)

/** Packets would go twice to an organization that is named twice. */
function isDistinct(values: readonly number[]): boolean {
  return new Set(values).size === values.length
}

/** A rule of the deployment. */
export const ROUTING_RULE_RULES: Rules<NewRoutingRule> = {
  condition: described(
    oneOf(RULE_CONDITIONS),
    'The compared part of a packet: `ident`; `prefix`, the beginning of the ident; `group`, the id or the name of the group of a Traccar device; `attribute`, an attribute of the packet or the device.',
  ),
  attribute: described(
    optional(VALUE),
    'The name of the attribute, only with the condition `attribute`.',
  ),
  anyOf: described(
    list(`a list of 1 to ${MAX_RULE_VALUES} texts of 1 to 64 characters`, MAX_RULE_VALUES, {
      items: { type: 'string', minLength: 1, maxLength: 64 },
      holds: (value) => VALUE.holds(value),
    }),
    'The values. One match is enough.',
  ),
  organizations,
  createObjects: described(
    boolean,
    'Whether the organizations own the ident from its first packet on, and get an object. Otherwise the ident is on their lists of refused idents.',
  ),
}
export const ROUTING_RULE_DEFAULTS = { createObjects: true } as const

export function routingRuleFault({
  condition,
  attribute,
}: Pick<NewRoutingRule, 'condition' | 'attribute'>): Fault | undefined {
  if (condition === 'attribute' && attribute === null) {
    return { field: 'attribute', rule: 'is required when condition is attribute' }
  }
  if (condition !== 'attribute' && attribute !== null) {
    return { field: 'attribute', rule: `cannot be combined with the condition ${condition}` }
  }
  return undefined
}

/** The acts of an assignment if other organizations own the ident. */
export const IF_OWNED = ['refuse', 'share', 'move'] as const

/** An ident that an operator gives to organizations. */
export type Assignment = {
  ident: string
  organizations: number[]
  ifOwned: (typeof IF_OWNED)[number]
}
const ident = described(OBJECT_RULES.ident, 'The identifier that the tracker sends.')
export const ASSIGNMENT_RULES: Rules<Assignment> = {
  ident,
  organizations,
  ifOwned: described(
    oneOf(IF_OWNED),
    'If other organizations own the ident: `refuse` (the default), `share` (they keep it) or `move` (they lose it, but keep their objects).',
  ),
}
export const ASSIGNMENT_DEFAULTS = { ifOwned: 'refuse' } as const

export const IDENT_RULES: Rules<{ ident: string }> = { ident }

/** A packet for which rules are tried. */
export type Trial = {
  ident: string
  group: string | null
  attribute: string | null
  value: string | null
}
export const TRIAL_RULES: Rules<Trial> = {
  ident,
  group: described(
    optional(VALUE),
    'The id or the name of the group of its device. Null or absent: none.',
  ),
  attribute: described(
    optional(VALUE),
    'The name of an attribute that it has. Null or absent: none.',
  ),
  value: described(optional(VALUE), 'The value of the attribute.'),
}

/** Rules in the form in which new idents are compared with all of them at once. */
export type RuleIndex = {
  /** The first rule whose condition holds. */
  matching(facts: RoutedFacts): RoutingRule | undefined
  /** The last of all. Undefined if there is no rule. */
  readonly last: RoutingRule | undefined
}

/** The first rule of each value, by its place among all. */
type Values = Map<string, number>

/** The first rule whose condition holds for one packet, without the cost of an index. */
export function* matchingRule(
  rules: readonly RoutingRule[],
  facts: RoutedFacts,
): Steps<RoutingRule | undefined> {
  for (const rule of rules) {
    if (holds(rule, facts)) return rule
    yield
  }
  return undefined
}

function holds({ condition, attribute, anyOf }: RoutingRule, facts: RoutedFacts): boolean {
  switch (condition) {
    case 'ident':
      return anyOf.includes(facts.ident)
    case 'prefix':
      return anyOf.some((value) => facts.ident.startsWith(value))
    case 'group':
      return facts.groups.some((group) => anyOf.includes(group))
    case 'attribute': {
      const value = facts.attribute(attribute!)
      return value !== undefined && anyOf.includes(value)
    }
  }
}

const STEP = 100

export function* indexedRules(rules: readonly RoutingRule[]): Steps<RuleIndex> {
  const idents: Values = new Map()
  const groups: Values = new Map()
  const prefixes: Values = new Map()
  /** By the name of the attribute. */
  const attributes = new Map<string, Values>()

  function valuesOf({ condition, attribute }: RoutingRule): Values {
    if (condition !== 'attribute')
      return { ident: idents, group: groups, prefix: prefixes }[condition]
    const known = attributes.get(attribute!) ?? new Map()
    attributes.set(attribute!, known)
    return known
  }

  for (const [place, rule] of rules.entries()) {
    const values = valuesOf(rule)
    for (const [number, value] of rule.anyOf.entries()) {
      if (!values.has(value)) values.set(value, place)
      if (number % STEP === 0) yield
    }
  }
  const lengths = new Set([...prefixes.keys()].map(({ length }) => length))

  function* places({ ident, groups: own, attribute }: RoutedFacts): Generator<number | undefined> {
    yield idents.get(ident)
    for (const length of lengths) yield prefixes.get(ident.slice(0, length))
    for (const group of own) yield groups.get(group)
    for (const [name, values] of attributes) {
      const value = attribute(name)
      if (value !== undefined) yield values.get(value)
    }
  }

  return {
    last: rules.at(-1),
    matching(facts) {
      let first = rules.length
      for (const place of places(facts)) if (place !== undefined && place < first) first = place
      return rules[first]
    },
  }
}

/** Why a packet of an unknown ident made no object. The words are those of the feed's answers. */
export type RefusedIdentReason = 'unknown_ident' | 'foreign_ident' | ObjectLimit

/** An ident that trackers send and that no object has. */
export type RefusedIdent = {
  ident: string
  /** The reason of the last packet. */
  reason: RefusedIdentReason
  /** How many packets have come since the ident was put on the list. */
  packets: number
  /** When the last packet came: milliseconds since the epoch. */
  lastAt: number
  /** The coordinates of the last packet, degrees. Null if it had no fix. */
  latitude: number | null
  longitude: number | null
}

/** How many idents the list of an organization keeps: the ones that sent last. */
export const MAX_REFUSED_IDENTS = 100

export const REFUSED_IDENT_MESSAGES: Readonly<Record<RefusedIdentReason, string>> = {
  unknown_ident:
    "no object has this ident, and the organization does not create objects automatically: create it, or see 'fleetgate org update --create-objects'",
  foreign_ident:
    'no object has this ident, and none was created: it is in use elsewhere on this server. An operator can assign it',
  limit_of_objects: 'no object has this ident, and the organization has reached max_objects',
  limit_of_new_objects:
    'no object has this ident, and its feed token created too many objects within a minute',
}
