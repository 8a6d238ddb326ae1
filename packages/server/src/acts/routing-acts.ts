import { runInTurns } from '../base/domain/common/slots.ts'
import {
  type Assignment,
  matchingRule,
  routingRuleFault,
  type Trial,
} from '../base/domain/routing-rule.ts'
import { breach } from '../base/domain/setting-rule.ts'
import type { Store } from '../engine/store/store.ts'
import { type ActCall, acts, OPERATORS, SUPPORTERS } from './act.ts'
import { type Body, refuse } from './input.ts'
import { conflict, existing, invalid } from './refused.ts'
import { REFUSED_IDENTS_OF_ALL, refusedIdentsOfAll } from './reject-bodies.ts'
import {
  ASSIGNMENT,
  BEFORE_RULE,
  IDENT,
  NEW_ROUTING_RULE,
  OWNED_IDENT,
  organizationsInWords,
  ROUTING_RULE,
  ROUTING_RULES,
  RULE_MOVE,
  TRIAL,
  TRIED,
  WAITING_IDENTS,
} from './routing-bodies.ts'

const RULES = '/routing/rules'
const RULE = `${RULES}/{rule}`
const WAITING = '/routing/waiting'

/** The owners of idents, which get the packets of the deployment's feed tokens. The tokens are among the credentials. */
export const ROUTING_ACTS = acts('Routing', {
  listRoutingRules: {
    method: 'GET',
    path: RULES,
    who: SUPPORTERS,
    summary: 'List the rules that assign new idents to organizations, in order',
    answers: ROUTING_RULES,
    run: async ({ store }) => ROUTING_RULES.write({ items: await store.routing.rules() }),
  },
  addRoutingRule: {
    method: 'POST',
    path: RULES,
    who: OPERATORS,
    summary: 'Add a rule for idents that no organization owns, including those that wait',
    takes: NEW_ROUTING_RULE,
    answers: ROUTING_RULE,
    async run({ store, body, now }) {
      const rule = NEW_ROUTING_RULE.in(body)
      refuse(routingRuleFault(rule))
      const added = await store.routing.addRule(rule, beforeIn(body), now)
      if (added === 'no_organization') throw noOrganization()
      if (added === 'too_many_rules')
        throw conflict('the maximum number of rules is reached; remove some first')
      if (added === 'no_such_before') throw noSuchBefore()
      return ROUTING_RULE.write(added)
    },
  },
  moveRoutingRule: {
    method: 'POST',
    path: `${RULE}/move`,
    who: OPERATORS,
    summary: 'Put a rule before another one, or at the end',
    takes: RULE_MOVE,
    status: 200,
    answers: ROUTING_RULES,
    async run({ store: { routing }, params, body }) {
      const moved = await routing.moveRule(params.rule!, beforeIn(RULE_MOVE.in(body)))
      if (existing(moved, 'rule') === 'no_such_before') throw noSuchBefore()
      return ROUTING_RULES.write({ items: await routing.rules() })
    },
  },
  removeRoutingRule: {
    method: 'DELETE',
    path: RULE,
    who: OPERATORS,
    summary: 'Remove a rule. Idents that it placed stay where they are',
    async run({ store, params }) {
      existing(await store.routing.removeRule(params.rule!), 'rule')
    },
  },
  tryRouting: {
    method: 'POST',
    path: '/routing/test',
    who: SUPPORTERS,
    summary: 'Show where the packets of an ident go: its owners, or the rule that matches',
    takes: TRIAL,
    status: 200,
    answers: TRIED,
    run: ({ store, body }) => tryRouting(store, TRIAL.in(body)),
  },
  listWaitingIdents: {
    method: 'GET',
    path: WAITING,
    who: SUPPORTERS,
    summary: 'List the idents that no organization owns, and whose packets are not stored',
    answers: WAITING_IDENTS,
    run: async ({ store }) => WAITING_IDENTS.write({ items: await store.routing.waiting() }),
  },
  listAllRefusedIdents: {
    method: 'GET',
    path: '/refused-idents',
    who: SUPPORTERS,
    summary: 'The idents that trackers send and that no object has, of all organizations',
    answers: REFUSED_IDENTS_OF_ALL,
    run: async ({ store }) => ({ items: await refusedIdentsOfAll(store) }),
  },
  assignIdent: {
    method: 'POST',
    path: '/routing/assign',
    who: OPERATORS,
    summary:
      'Assign an ident to organizations, and create an object for it in each; it does not have to be waiting',
    takes: ASSIGNMENT,
    status: 200,
    answers: OWNED_IDENT,
    run: (call) => assignIdent(call, ASSIGNMENT.in(call.body)),
  },
  dismissWaitingIdent: {
    method: 'POST',
    path: `${WAITING}/dismiss`,
    who: OPERATORS,
    summary: 'Take an ident off the list. It returns when it sends again',
    takes: IDENT,
    status: 204,
    run: ({ store, body }) => store.routing.dismiss(IDENT.in(body).ident),
  },
})

async function assignIdent({ store: { routing }, now }: ActCall, assignment: Assignment) {
  const { ident } = assignment
  const assigned = await routing.assign(assignment)
  if (assigned === 'no_organization') throw noOrganization()
  if ('full' in assigned) {
    const message = `organization ${assigned.full} has reached its max_objects: raise it, or delete objects`
    throw conflict(message, 'organizations')
  }
  if ('ownedBy' in assigned) {
    const owners = organizationsInWords(assigned.ownedBy)
    throw conflict(
      `ident '${ident}' belongs to ${owners}: set if_owned to share or move`,
      'if_owned',
    )
  }
  const { given, name, isUnknown: wasUnknown } = assigned
  for (const { organization } of given) {
    await routing.settle(organization, { ident, name: name ?? ident }, now)
  }
  return OWNED_IDENT.write({ ident, organizations: await routing.ownersOf(ident), wasUnknown })
}

async function tryRouting({ routing }: Store, { ident, group, attribute, value }: Trial) {
  const owners = await routing.ownersOf(ident)
  const groups = group === null ? [] : [group]
  const attributeOf = (name: string) => (name === attribute ? (value ?? undefined) : undefined)
  const facts = { ident, groups, attribute: attributeOf }
  const rules = owners.length > 0 ? [] : await routing.rules()
  const rule = await runInTurns(matchingRule(rules, facts))
  const organizations = rule?.organizations ?? owners
  return TRIED.write({ ident, owners, rule: rule?.id ?? null, organizations })
}

function beforeIn({ before = null }: Body): number | null {
  if (BEFORE_RULE.holds(before)) return before as number | null
  throw invalid({ field: 'before', rule: breach(BEFORE_RULE, before) })
}

function noSuchBefore() {
  return conflict('before must be the id of a rule, or null for the end', 'before')
}

function noOrganization() {
  return invalid({ field: 'organizations', rule: 'must be organization ids' })
}
