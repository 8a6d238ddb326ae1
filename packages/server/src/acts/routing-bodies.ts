import {
  ASSIGNMENT_DEFAULTS,
  ASSIGNMENT_RULES,
  IDENT_RULES,
  type NewRoutingRule,
  ROUTING_RULE_DEFAULTS,
  ROUTING_RULE_RULES,
  TRIAL_RULES,
} from '../base/domain/routing-rule.ts'
import { described, optional, wholeNumber } from '../base/domain/setting-rule.ts'
import * as doc from './document-schema.ts'
import { fieldsInput, newInput } from './input.ts'

export const ROUTING_RULE = doc.record(
  {
    id: doc.integer('Its id.'),
    ...doc.settingFields<NewRoutingRule>(ROUTING_RULE_RULES),
    created_at: doc.instant('When it was added.'),
    placed_idents: doc.integer(
      'Number of idents that it has assigned to organizations since it was added.',
    ),
    last_placed_at: doc.instantOrNull(
      'When it last gave an ident to organizations or, if it creates no objects, when a packet last matched it. Null: never, so it may be wrong, or another rule comes before it.',
    ),
  },
  'A rule that assigns new idents of a feed token of the deployment to organizations.',
  'RoutingRule',
)
export const ROUTING_RULES = doc.items(
  ROUTING_RULE,
  'The rules in their order: the first one that matches counts.',
  'RoutingRules',
)

export const BEFORE_RULE = described(
  optional(wholeNumber(1)),
  'The id of the rule before which it is put. Null or absent: the end.',
)
const BEFORE = doc.ruled<number | null>(BEFORE_RULE)
export const NEW_ROUTING_RULE = newInput(
  'NewRoutingRule',
  ROUTING_RULE_RULES,
  ROUTING_RULE_DEFAULTS,
  'A rule to add.',
  { before: doc.optional(BEFORE) },
)
export const RULE_MOVE = fieldsInput(
  'RuleMove',
  { before: doc.optional(BEFORE) },
  'The new rank of a rule.',
)

const WAITING_IDENT = doc.record(
  {
    ident: doc.text('The identifier that the tracker sends.'),
    format: doc.text('The format of its last packet, as in the path of the feed.'),
    packets: doc.integer(
      'How many packets have come since it was put on the list. They are not stored.',
    ),
    first_at: doc.instant('When the first packet came.'),
    last_at: doc.instant('When the last packet came.'),
    latitude: doc.realOrNull('Where the last packet was sent from, degrees. Null: it had no fix.'),
    longitude: doc.realOrNull('Degrees.'),
    name: doc.textOrNull('The name of its device. Null: the sender gives no name.'),
    group: doc.textOrNull('The name or the id of the group of its device.'),
    rule: doc.integerOrNull(
      'The id of the last rule that was tried and did not match. Null: there was no rule.',
    ),
  },
  'An ident that arrives with a feed token of the deployment and that no organization owns.',
)
export const WAITING_IDENTS = doc.items(
  WAITING_IDENT,
  'The 10,000 idents that sent last, the newest first.',
  'WaitingIdents',
)

export const ASSIGNMENT = newInput(
  'Assignment',
  ASSIGNMENT_RULES,
  ASSIGNMENT_DEFAULTS,
  'An ident and the organizations to assign it to. An organization without an object of this ident gets one.',
)
export const IDENT = newInput('Ident', IDENT_RULES, {}, 'An ident.')
export const OWNED_IDENT = doc.record(
  {
    ident: doc.text('The identifier that the tracker sends.'),
    organizations: doc.list(doc.integer('An id.'), 'The organizations that own it, by their ids.'),
    was_unknown: doc.yes(
      'Whether the server did not know it: no organization owned it, and no packet with it was waiting. Then check its spelling.',
    ),
  },
  'An ident and its owners.',
  'OwnedIdent',
)

export const TRIAL = newInput(
  'RoutingTrial',
  TRIAL_RULES,
  {},
  'A packet for which the rules are tried. Nothing is stored.',
)
export const TRIED = doc.record(
  {
    ident: doc.text('The identifier.'),
    owners: doc.list(
      doc.integer('An id.'),
      'The organizations that own it already. Rules are not asked then.',
    ),
    rule: doc.integerOrNull('The id of the rule that matches. Null: none does, or none is asked.'),
    organizations: doc.list(
      doc.integer('An id.'),
      'The organizations that its packets go to. Empty: it waits.',
    ),
  },
  'Where the packets of an ident go.',
  'TriedRouting',
)

/** `organization 3`, `organizations 1 and 3`, `organizations 1, 2 and 3`. */
export function organizationsInWords(ids: readonly number[]): string {
  const [last, ...others] = ids.toReversed()
  if (others.length === 0) return `organization ${last}`
  return `organizations ${others.reverse().join(', ')} and ${last}`
}
