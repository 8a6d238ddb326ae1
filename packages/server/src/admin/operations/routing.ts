import { notFound } from '../../operator/refused.ts'
import { REFUSED_IDENTS_OF_ALL, refusedIdentsOfAll } from '../../operator/rejects.ts'
import {
  ASSIGNMENT,
  addRule,
  assignIdent,
  beforeIn,
  IDENT,
  moveRule,
  NEW_ROUTING_RULE,
  OWNED_IDENT,
  ROUTING_RULE,
  ROUTING_RULES,
  RULE_MOVE,
  TRIAL,
  TRIED,
  tryRouting,
  WAITING_IDENTS,
} from '../../operator/routing.ts'
import { OPERATORS, operations, SUPPORTERS } from '../admin-api.ts'

const RULES = '/routing/rules'
const RULE = `${RULES}/{rule}`
const WAITING = '/routing/waiting'

/** The owners of idents, which get the packets of the deployment's feed tokens. The tokens are among the credentials. */
export const ROUTING_OPERATIONS = operations('Routing', [
  {
    id: 'listRoutingRules',
    method: 'GET',
    path: RULES,
    who: SUPPORTERS,
    summary: 'List the rules that give new idents to organizations, in their order',
    answers: ROUTING_RULES,
    run: async ({ store }) => ROUTING_RULES.write({ items: await store.routing.rules() }),
  },
  {
    id: 'addRoutingRule',
    method: 'POST',
    path: RULES,
    who: OPERATORS,
    summary: 'Add a rule for idents that no organization owns, including those that wait',
    takes: NEW_ROUTING_RULE,
    answers: ROUTING_RULE,
    async run({ store, body, now }) {
      const rule = NEW_ROUTING_RULE.in(body)
      return ROUTING_RULE.write(await addRule(store, rule, beforeIn(body.before), now))
    },
  },
  {
    id: 'moveRoutingRule',
    method: 'POST',
    path: `${RULE}/move`,
    who: OPERATORS,
    summary: 'Put a rule before another one, or at the end',
    takes: RULE_MOVE,
    status: 200,
    answers: ROUTING_RULES,
    async run({ store, params, body }) {
      const { before } = RULE_MOVE.in(body)
      return ROUTING_RULES.write({ items: await moveRule(store, params.rule!, beforeIn(before)) })
    },
  },
  {
    id: 'removeRoutingRule',
    method: 'DELETE',
    path: RULE,
    who: OPERATORS,
    summary: 'Remove a rule. Idents that it placed stay where they are',
    async run({ store, params }) {
      if ((await store.routing.removeRule(params.rule!)) === null) throw notFound('rule')
    },
  },
  {
    id: 'tryRouting',
    method: 'POST',
    path: '/routing/test',
    who: SUPPORTERS,
    summary: 'Show where the packets of an ident go: its owners, or the rule that matches',
    takes: TRIAL,
    status: 200,
    answers: TRIED,
    run: ({ store, body }) => tryRouting(store, TRIAL.in(body)),
  },
  {
    id: 'listWaitingIdents',
    method: 'GET',
    path: WAITING,
    who: SUPPORTERS,
    summary: 'List the idents that no organization owns, and whose packets are not stored',
    answers: WAITING_IDENTS,
    run: async ({ store }) => WAITING_IDENTS.write({ items: await store.routing.waiting() }),
  },
  {
    id: 'listAllRefusedIdents',
    method: 'GET',
    path: '/refused-idents',
    who: SUPPORTERS,
    summary: 'The idents that trackers send and that no object has, of all organizations',
    answers: REFUSED_IDENTS_OF_ALL,
    run: async ({ store }) => ({ items: await refusedIdentsOfAll(store) }),
  },
  {
    id: 'assignIdent',
    method: 'POST',
    path: '/routing/assign',
    who: OPERATORS,
    summary:
      'Give an ident to organizations, and create an object for it in each; it need not be waiting',
    takes: ASSIGNMENT,
    status: 200,
    answers: OWNED_IDENT,
    run: async ({ store, body, now }) => assignIdent(store, ASSIGNMENT.in(body), now),
  },
  {
    id: 'dismissWaitingIdent',
    method: 'POST',
    path: `${WAITING}/dismiss`,
    who: OPERATORS,
    summary: 'Take an ident off the list. It returns when it sends again',
    takes: IDENT,
    status: 204,
    async run({ store, body }) {
      await store.routing.dismiss(IDENT.in(body).ident)
    },
  },
])
