import { type Command, InvalidArgumentError } from 'commander'
import {
  type Assignment,
  IDENT_RULES,
  IF_OWNED,
  ROUTING_RULE_RULES,
  RULE_CONDITIONS,
  type RuleCondition,
} from '../../domain/routing.ts'
import { helpOf } from '../../domain/setting-rule.ts'
import {
  ASSIGNMENT,
  addRule,
  assignIdent,
  moveRule,
  NEW_ROUTING_RULE,
  organizationsInWords,
  ROUTING_RULE,
  TRIAL,
  tryRouting,
  WAITING_IDENT,
} from '../../operator/routing.ts'
import type { Store } from '../../store/store.ts'
import { deploymentTokenCommands } from '../access/tokens.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { harmless } from '../failure.ts'
import { id, noSuch, organizationsNamed, settingReader } from '../options.ts'
import { listing } from '../terminal.ts'

/** One server that sends for several organizations, and who gets what it sends. */
export function routingCommands(): Command {
  return group(
    'routing',
    'routing: which organization gets which ident of a shared Traccar server',
    [deploymentTokenCommands(), ruleCommands(), waitingCommands(), testCommand()],
  )
}

const IDENT = `its ident: ${IDENT_RULES.ident.says}`
const ident = settingReader(IDENT_RULES.ident)

function ruleCommands(): Command {
  return group(
    'rules',
    'rules that give new idents to organizations; the first that matches counts',
    [
      command(
        'list',
        'list the rules in their order; PLACED IDENTS: how many each has given to organizations; LAST PLACED: when it last did',
        ['routing rules list'],
      ).action(onStore(listRules)),
      addRuleCommand(),
      command('move', 'put a rule before another one, or at the end', [
        'routing rules move 7 --before 3',
      ])
        .argument('<rule>', 'its id', id)
        .addOption(beforeOption())
        .action(onStore(move)),
      command('remove', 'remove a rule; idents that it assigned stay assigned', [
        'routing rules remove 7',
      ])
        .argument('<rule>', 'its id', id)
        .action(onStore(remove)),
    ],
  )
}

function addRuleCommand(): Command {
  return command('add', 'add a rule, at the end or before another one', [
    'routing rules add --condition group --any-of 12 --orgs 2',
    "routing rules add --condition attribute --attribute customer --any-of 'North,South' --orgs 3",
    'routing rules add --condition prefix --any-of 86430 --orgs 2,3 --before 7',
  ])
    .addOption(
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
    .addOption(beforeOption())
    .action(onStore(add))
}

function waitingCommands(): Command {
  return group('waiting', 'idents that no organization owns, and whose packets are not stored', [
    command(
      'list',
      'list them, the most recent first; a packet shows after two seconds; LAST RULE is the last rule that was tried and did not match',
      ['routing waiting list'],
    ).action(onStore(listWaiting)),
    command('assign', 'give an ident, waiting or not, to organizations; creates their objects', [
      'routing waiting assign 864301042977204 --orgs 2',
      'routing waiting assign 864301042977204 --orgs 3 --if-owned share',
    ])
      .argument('<ident>', IDENT, ident)
      .addOption(organizationsOption())
      .addOption(
        option(
          '--if-owned <act>',
          'if other organizations own it: refuse, share (they keep it) or move (they lose it)',
        )
          .choices(IF_OWNED)
          .default('refuse'),
      )
      .action(onStore(assign)),
    command('dismiss', 'take an ident off the list; it returns when it sends again', [
      'routing waiting dismiss 864301042977204',
    ])
      .argument('<ident>', IDENT, ident)
      .action(onStore(dismiss)),
  ])
}

function testCommand(): Command {
  return command('test', 'show where the packets of an ident go', [
    'routing test 864301042977204',
    'routing test 864301042977204 --group 12 --attribute customer=North',
  ])
    .argument('<ident>', IDENT, ident)
    .addOption(option('--group <group>', 'the id or the name of the group of its device'))
    .addOption(
      option('--attribute <name=value>', 'an attribute of its packet').argParser(attribute),
    )
    .action(onStore(test))
}

function organizationsOption() {
  return option('--orgs <ids>', 'the organizations, by ids or names, separated by commas; required')
    .argParser(texts)
    .makeOptionMandatory()
}

function beforeOption() {
  return option('--before <rule>', 'the rule before which it is put (default: the end)').argParser(
    id,
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

async function listRules(store: Store): Promise<CommandResult> {
  return rulesAnswer((await store.routing.rules()).map(ROUTING_RULE.write))
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

type AddOptions = {
  condition: RuleCondition
  attribute?: string
  anyOf: string[]
  orgs: string[]
  createObjects: boolean
  before?: number
}

async function add(store: Store, options: AddOptions): Promise<CommandResult> {
  const { condition, attribute = null, anyOf, orgs, createObjects, before = null } = options
  const rule = NEW_ROUTING_RULE.in({
    ...{ condition, attribute, any_of: anyOf, create_objects: createObjects },
    organizations: await organizationsNamed(store, orgs),
  })
  const added = ROUTING_RULE.write(await addRule(store, rule, before, Date.now()))
  return { ...rulesAnswer([added]), json: added }
}

async function move(
  store: Store,
  { before = null }: { before?: number | null },
  rule: number,
): Promise<CommandResult> {
  return rulesAnswer((await moveRule(store, rule, before)).map(ROUTING_RULE.write))
}

async function remove(store: Store, _: object, rule: number): Promise<CommandResult> {
  if ((await store.routing.removeRule(rule)) === null) {
    throw noSuch('rule', rule, 'routing rules list')
  }
  return { json: { id: rule, removed: true }, text: `Rule ${rule} is removed.` }
}

async function listWaiting(store: Store): Promise<CommandResult> {
  const json = (await store.routing.waiting()).map(WAITING_IDENT.write)
  if (json.length === 0) return { json, text: 'No ident waits for an organization.' }
  return listing(json, [
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
}

async function assign(
  store: Store,
  { orgs, ifOwned }: { orgs: string[]; ifOwned: Assignment['ifOwned'] },
  ident: string,
): Promise<CommandResult> {
  const organizations = await organizationsNamed(store, orgs)
  const assignment = ASSIGNMENT.in({ ident, organizations, if_owned: ifOwned })
  const json = await assignIdent(store, assignment, Date.now())
  const owners = organizationsInWords(json.organizations)
  const text = `Ident '${harmless(ident)}' belongs to ${owners}.`
  const warning = `No packet with it has waited. Make sure that the tracker writes it so: 'fleetgate routing waiting list' shows what comes.`
  return { json, text: json.was_unknown ? `${text}\n${warning}` : text }
}

async function dismiss(store: Store, _: object, ident: string): Promise<CommandResult> {
  if (!(await store.routing.dismiss(ident))) {
    throw new Error(
      `no ident '${ident}' waits; 'fleetgate routing waiting list' shows those that do`,
    )
  }
  return { json: { ident, dismissed: true }, text: `Ident '${harmless(ident)}' is off the list.` }
}

async function test(
  store: Store,
  { group = null, attribute }: { group?: string | null; attribute?: Attribute },
  ident: string,
): Promise<CommandResult> {
  const json = await tryRouting(store, TRIAL.in({ ident, group, ...attribute }))
  const { organizations, rule } = json
  if (organizations.length === 0) return { json, text: 'It waits: no rule matches.' }
  const why =
    rule === null
      ? organizations.length === 1
        ? 'which owns it'
        : 'which own it'
      : `by rule ${rule}`
  return { json, text: `It goes to ${organizationsInWords(organizations)}, ${why}.` }
}
