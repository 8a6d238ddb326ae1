import { type NewRoutingRule, RULE_CONDITIONS } from '../routing.ts'
import { OBJECT_RULES } from './object-settings.ts'
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
} from './rule.ts'

/** Values of a rule. */
export const MAX_RULE_VALUES = 10_000
/** Organizations that share an ident. */
export const MAX_OWNERS = 10

const VALUE = text(64)

const organizations = described(
  ids(`a list of 1 to ${MAX_OWNERS} ids of organizations`, MAX_OWNERS),
  'The organizations that get its packets, by their ids. With two, each gets an object of its own.',
)

/** A rule of the deployment. */
export const ROUTING_RULE_RULES: Rules<NewRoutingRule> = {
  condition: described(
    oneOf(RULE_CONDITIONS),
    'The part of a packet that is compared: `ident`; `prefix`, the beginning of the ident; `group`, the id or the name of the group of a Traccar device; `attribute`, an attribute of the packet or the device.',
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
    'The values of which one is enough.',
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
    return { field: 'attribute', rule: 'must be given with the condition attribute' }
  }
  if (condition !== 'attribute' && attribute !== null) {
    return { field: 'attribute', rule: `must not be given with the condition ${condition}` }
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
    'The act if other organizations own the ident: `refuse`, the default; `share`: they keep it; `move`: they lose it, but not their objects.',
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
    'The id or the name of the group of its device. Null, or left out: none.',
  ),
  attribute: described(
    optional(VALUE),
    'The name of an attribute that it has. Null, or left out: none.',
  ),
  value: described(optional(VALUE), 'The value of the attribute.'),
}
