import type { Command } from 'commander'
import {
  GRANT_RULES,
  type Grant,
  TEST_SCENARIOS,
  type TestScenario,
} from '../../../domain/credential.ts'
import { refuseLackingGrant } from '../../../operator/credentials.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../../command.ts'
import { UsageError } from '../../failure.ts'
import { card } from '../../terminal/table.ts'
import { id } from '../../value.ts'
import { notOwned, organizationOf, ownerOption } from '../owner.ts'
import { addSettingOptions, givenSettings, refuseEmpty } from '../setting-options.ts'
import { credentialCommands, credentialDocument, type Own } from './credentials.ts'
import { disclosuresCommand } from './disclosures.ts'
import { addScopeOptions, givenIn, type ScopeOptions, scopeIn, scopeText } from './key-scope.ts'

export function keyCommands(): Command {
  const commands = credentialCommands({
    name: 'key',
    noun: 'key',
    description: "API keys: they open an organization's data",
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
