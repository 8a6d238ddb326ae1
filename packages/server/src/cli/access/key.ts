import type { Command } from 'commander'
import {
  GRANT_RULES,
  type Grant,
  TEST_SCENARIOS,
  type TestScenario,
} from '../../domain/credential.ts'
import { utcDay } from '../../domain/time/time.ts'
import { refuseLackingGrant } from '../../operator/credentials.ts'
import { askDisclosures, DISCLOSURE_DAYS, disclosurePages } from '../../operator/disclosures.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import {
  addSettingOptions,
  day,
  givenSettings,
  id,
  notOwned,
  type OwnerOptions,
  organizationOf,
  ownerOption,
  refuseEmpty,
} from '../options.ts'
import { card, listing } from '../terminal.ts'
import { credentialCommands, credentialDocument, type Own } from './credentials.ts'
import { addScopeOptions, givenIn, type ScopeOptions, scopeIn, scopeText } from './key-scope.ts'

export function keyCommands(): Command {
  const commands = credentialCommands({
    name: 'key',
    noun: 'key',
    description: "API keys: they open an organization's data",
    exampleName: "'Night report'",
    store: (store) => store.keys,
    own: {
      options: (to) => addScopeOptions(addTestOptions(addGrantOptions(to))),
      read: ownIn,
      fields: ['recipient', 'purpose', 'scope', 'scenario'],
    },
  })
  commands.addCommand(
    addScopeOptions(
      addGrantOptions(
        command(
          'update',
          'change the scope, the recipient or the purpose of a key, from its next request on',
          [
            'key update --org 1 3 --objects 7,8 --data-until 2026-12-31',
            'key update --org 1 3 --operations all --window-share 3',
            "key update --org 1 3 --recipient 'Insurer Ltd' --purpose 'Claims'",
          ],
        )
          .argument('<keyid>', 'its id', id)
          .addOption(ownerOption()),
      ),
    ).action(onStore(update)),
  )
  commands.addCommand(disclosuresCommand())
  return commands
}

type IssueOptions = ScopeOptions & { test?: boolean; scenario?: TestScenario }

function addTestOptions(to: Command): Command {
  return to
    .addOption(
      option('--test', 'a test key: it opens the simulated fleet and no data (docs/testing.md)'),
    )
    .addOption(
      option('--scenario <name>', 'how the simulated fleet answers a test key').choices(
        TEST_SCENARIOS,
      ),
    )
}

function addGrantOptions(to: Command): Command {
  return addSettingOptions<Grant>(to, GRANT_RULES)
}

async function ownIn(store: Store, options: IssueOptions): Promise<Own> {
  const { recipient = null, purpose = null } = givenSettings<Grant>(GRANT_RULES, options)
  return { ...(await openedIn(store, options)), recipient, purpose, client: null }
}

async function openedIn(
  store: Store,
  options: IssueOptions,
): Promise<Pick<Own, 'scope' | 'scenario'>> {
  const { test = false, scenario = 'standard' } = options
  if (!test) {
    if (options.scenario !== undefined) throw new UsageError('--scenario needs --test')
    const scope = (await scopeIn(store, options, null)) ?? null
    return { scope, scenario: null }
  }
  // Before the ids of objects are looked up: those of the simulated fleet are not among the organization's.
  if (givenIn(options) !== null) {
    throw new UsageError(
      'a test key has no scope, because it opens the whole simulated fleet; leave out the options of a scope',
    )
  }
  return { scope: null, scenario }
}

async function update(store: Store, options: ScopeOptions, key: number): Promise<CommandResult> {
  const { org } = options
  const owner = await organizationOf(store, org)
  const before = (await store.keys.list(org)).find((each) => each.id === key)
  if (before === undefined) throw notOwned({ singular: 'key', plural: 'key' }, org, key)
  if (before.scenario !== null && givenIn(options) !== null) {
    throw new UsageError(
      `key ${key} is a test key, which has no scope: it opens the whole simulated fleet`,
    )
  }
  const grant = givenSettings<Grant>(GRANT_RULES, options)
  refuseLackingGrant(owner, before, grant)
  const scope = await scopeIn(store, options, before.scope)
  const patch = { ...grant, ...(scope !== undefined && { scope }) }
  refuseEmpty(patch)
  const now = Date.now()
  const after = await store.keys.update(org, key, patch, now)
  if (after === null) throw notOwned({ singular: 'key', plural: 'key' }, org, key)
  const json = credentialDocument(owner, after, now)
  const shown = { ...json, scope: scopeText(json.scope), lacks_purpose: String(json.lacks_purpose) }
  return { json, text: card(shown) }
}

type Options = OwnerOptions & {
  from?: number
  to?: number
  recipient?: string
  key?: number
  object?: number
  totals?: boolean
}

const ROWS_AT_ONCE = 10_000

function disclosuresCommand(): Command {
  return command(
    'disclosures',
    'show how much of each object each key was shown, day by day; answers count after a minute',
    [
      'key disclosures --org 1',
      'key disclosures --org 1 --totals --object 7',
      "key disclosures --org 1 --recipient 'Insurer Ltd' --json",
      'key disclosures --org 1 --key 3 --from 2026-12-01 --to 2026-12-07 --json',
    ],
  )
    .addOption(ownerOption())
    .addOption(option('--from <date>', 'the first day in UTC').argParser(dayNumber))
    .addOption(option('--to <date>', 'the last day in UTC (default: today)').argParser(dayNumber))
    .addOption(
      option(
        '--recipient <name>',
        "only data that this recipient was given; '' for data that was given without a recipient",
      ),
    )
    .addOption(option('--key <id>', 'only data that this key was shown').argParser(id))
    .addOption(option('--object <id>', 'only data of this object').argParser(id))
    .addOption(option('--totals', 'show the totals of each recipient, purpose and kind of data'))
    .action(onStore(list))
}

const dayNumber = (written: string) => utcDay(day(written))

async function list(store: Store, options: Options): Promise<CommandResult> {
  const { org, recipient, key, object, to = utcDay(Date.now()) } = options
  const { from = to - DISCLOSURE_DAYS + 1 } = options
  await organizationOf(store, org)
  const objects = new Map((await store.objects.list(org)).map((each) => [each.id, each]))
  const query = { from, to, recipient, key, object }
  const asked = await askDisclosures(store, org, query, (id) => objects.get(id))
  if (options.totals) {
    return listing(await asked.totals(), [
      ...(['recipient', 'purpose', 'data', 'keys', 'objects'] as const),
      ...(['first_date', 'last_date', 'rows'] as const),
    ])
  }
  const first = await asked.page(null, ROWS_AT_ONCE)
  const pages = await Array.fromAsync(disclosurePages(asked, first, ROWS_AT_ONCE))
  return listing(pages.flat(), [
    ...(['date', 'key', 'recipient', 'purpose'] as const),
    ...(['object', 'data', 'requests', 'rows'] as const),
  ])
}
