import { type Command, InvalidArgumentError } from 'commander'
import { ROUTING_ACTS } from '../../acts/routing-acts.ts'
import { organizationsInWords, type ROUTING_RULE } from '../../acts/routing-bodies.ts'
import {
  IDENT_RULES,
  IF_OWNED,
  ROUTING_RULE_RULES,
  RULE_CONDITIONS,
} from '../../base/domain/routing-rule.ts'
import { helpOf } from '../../base/domain/setting-rule.ts'
import { deploymentTokenCommands } from '../access/token-commands.ts'
import { actCommand } from '../act-command.ts'
import { type CommandResult, group, option } from '../command.ts'
import { harmless } from '../failure.ts'
import { id, organizationsNamed, settingReader } from '../options.ts'
import { listing } from '../terminal.ts'

const acts = ROUTING_ACTS

/** One server that sends for several organizations, and who gets what it sends. */
export function routingCommands(description: string): Command {
  return group('routing', description, [
    deploymentTokenCommands(),
    ruleCommands(),
    waitingCommands(),
    testCommand(),
  ])
}

function ruleCommands(): Command {
  return group('rules', 'rules that assign new idents to organizations; the first match counts', [
    actCommand(acts.listRoutingRules, {
      name: 'list',
      description:
        'list the rules in their order; PLACED IDENTS: how many each has assigned; LAST PLACED: when it last did',
      examples: ['routing rules list'],
      show: ({ items }) => rulesAnswer(items),
    }),
    actCommand(acts.addRoutingRule, {
      name: 'add',
      examples: [
        'routing rules add --condition group --any-of 12 --orgs 2',
        "routing rules add --condition attribute --attribute customer --any-of 'North,South' --orgs 3",
        'routing rules add --condition prefix --any-of 86430 --orgs 2,3 --before 7',
      ],
      options: ruleOptions,
      async body({ condition, attribute = null, anyOf, orgs, createObjects, before }, { store }) {
        const organizations = await organizationsNamed(store, orgs as string[])
        const values = { any_of: anyOf, organizations, create_objects: createObjects }
        return { condition, attribute, ...values, before }
      },
      show: (added) => ({ ...rulesAnswer([added]), json: added }),
    }),
    actCommand(acts.moveRoutingRule, {
      name: 'move',
      examples: ['routing rules move 7 --before 3'],
      options: withBefore,
      body: ({ before }) => ({ before }),
      show: ({ items }) => rulesAnswer(items),
    }),
    actCommand(acts.removeRoutingRule, {
      name: 'remove',
      examples: ['routing rules remove 7'],
      show: (_, { params: { rule } }) => ({
        json: { id: rule, removed: true },
        text: `Rule ${rule} was removed.`,
      }),
    }),
  ])
}

function ruleOptions(to: Command): Command {
  to.addOption(
    option('--condition <condition>', helpOf(ROUTING_RULE_RULES.condition))
      .choices(RULE_CONDITIONS)
      .makeOptionMandatory(),
  )
    .addOption(option('--attribute <name>', helpOf(ROUTING_RULE_RULES.attribute)))
    .addOption(
      option('--any-of <values>', 'the values, separated by commas; one match is enough; required')
        .argParser(texts)
        .makeOptionMandatory(),
    )
    .addOption(organizationsOption())
    .addOption(
      option(
        '--no-create-objects',
        'create no objects: the organizations see the ident as refused',
      ),
    )
  return withBefore(to)
}

function waitingCommands(): Command {
  return group('waiting', 'idents that no organization owns, and whose packets are not stored', [
    actCommand(acts.listWaitingIdents, {
      name: 'list',
      description:
        'list them, the most recent first; a packet shows after two seconds; LAST RULE is the last rule that was tried and did not match',
      examples: ['routing waiting list'],
      show({ items }) {
        if (items.length === 0) return { json: items, text: 'No ident waits for an organization.' }
        return listing(items, [
          'ident',
          'packets',
          'first_at',
          'last_at',
          'name',
          'group',
          'latitude',
          'longitude',
          ['LAST RULE', 'rule'],
        ])
      },
    }),
    actCommand(acts.assignIdent, {
      name: 'assign',
      examples: [
        'routing waiting assign 864301042977204 --orgs 2',
        'routing waiting assign 864301042977204 --orgs 3 --if-owned share',
      ],
      options: (to) =>
        withIdent(to)
          .addOption(organizationsOption())
          .addOption(
            option(
              '--if-owned <act>',
              'if other organizations own it: refuse, share (they keep it) or move (they lose it)',
            )
              .choices(IF_OWNED)
              .default('refuse'),
          ),
      async body({ orgs, ifOwned }, { store }, ident: string) {
        const organizations = await organizationsNamed(store, orgs as string[])
        return { ident, organizations, if_owned: ifOwned }
      },
      show(json) {
        const text = `Ident '${harmless(json.ident)}' belongs to ${organizationsInWords(json.organizations)}.`
        const warning = `No packet with this ident was waiting. Check its spelling: 'fleetgate routing waiting list' lists the idents that arrive.`
        return { json, text: json.was_unknown ? `${text}\n${warning}` : text }
      },
    }),
    actCommand(acts.dismissWaitingIdent, {
      name: 'dismiss',
      examples: ['routing waiting dismiss 864301042977204'],
      options: withIdent,
      body: (_, __, ident: string) => ({ ident }),
      show(hasWaited, { body }) {
        const ident = body.ident as string
        if (hasWaited) {
          return {
            json: { ident, dismissed: true },
            text: `Ident '${harmless(ident)}' was dismissed.`,
          }
        }
        throw new Error(
          `ident '${ident}' is not waiting; 'fleetgate routing waiting list' lists waiting idents`,
        )
      },
    }),
  ])
}

function testCommand(): Command {
  return actCommand(acts.tryRouting, {
    name: 'test',
    examples: [
      'routing test 864301042977204',
      'routing test 864301042977204 --group 12 --attribute customer=North',
    ],
    options: (to) =>
      withIdent(to)
        .addOption(option('--group <group>', 'the id or the name of the group of its device'))
        .addOption(
          option('--attribute <name=value>', 'an attribute of its packet').argParser(attribute),
        ),
    body: ({ group = null, attribute }, _, ident: string) => ({
      ident,
      group,
      ...(attribute as Attribute | undefined),
    }),
    show(json) {
      const { organizations, rule } = json
      if (organizations.length === 0) return { json, text: 'It waits: no rule matches.' }
      const owner = organizations.length === 1 ? 'which owns it' : 'which own it'
      const why = rule === null ? owner : `by rule ${rule}`
      return { json, text: `It goes to ${organizationsInWords(organizations)}, ${why}.` }
    },
  })
}

function withIdent(to: Command): Command {
  const rule = IDENT_RULES.ident
  return to.argument('<ident>', `its ident: ${rule.says}`, settingReader(rule))
}

function organizationsOption() {
  return option('--orgs <ids>', 'the organizations, by ids or names, separated by commas; required')
    .argParser(texts)
    .makeOptionMandatory()
}

function withBefore(to: Command): Command {
  return to.addOption(
    option('--before <rule>', 'the rule before which it is put (default: the end)').argParser(id),
  )
}

function texts(written: string): string[] {
  return written.split(',').map((each) => each.trim())
}

type Attribute = { attribute: string; value: string }

function attribute(written: string): Attribute {
  const [name = '', ...value] = written.split('=')
  if (name === '' || value.length === 0) {
    throw new InvalidArgumentError('it must be a name and a value, such as customer=North')
  }
  return { attribute: name, value: value.join('=') }
}

function rulesAnswer(rules: ReturnType<typeof ROUTING_RULE.write>[]): CommandResult {
  if (rules.length === 0) return { json: rules, text: 'There are no rules.' }
  return listing(rules, [
    'id',
    'condition',
    'attribute',
    ['ANY OF', ({ any_of }) => harmless(any_of.join(', '))],
    ['ORGS', ({ organizations }) => organizations.join(', ')],
    ['OBJECTS', ({ create_objects }) => (create_objects ? 'created' : 'not created')],
    'placed_idents',
    'last_placed_at',
  ])
}
