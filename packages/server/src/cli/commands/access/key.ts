import type { Command } from 'commander'
import { TEST_SCENARIOS, type TestScenario } from '../../../domain/test-scenario.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../../command.ts'
import { UsageError } from '../../failure.ts'
import { card } from '../../terminal/table.ts'
import { id } from '../../value.ts'
import { notOwned, organizationOf, ownerOption } from '../owner.ts'
import { refuseEmpty } from '../setting-options.ts'
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
      options: (to) => addScopeOptions(addTestOptions(to)),
      read: openedIn,
      fields: ['scope', 'scenario'],
    },
  })
  commands.addCommand(
    addScopeOptions(
      command('update', 'change what a key opens, from its next request on', [
        'key update --org 1 3 --objects 7,8 --data-until 2026-12-31',
        'key update --org 1 3 --operations all --window-share 3',
      ])
        .argument('<keyid>', 'its id', id)
        .addOption(ownerOption()),
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

async function openedIn(store: Store, options: IssueOptions): Promise<Own> {
  const { test = false, scenario = 'standard' } = options
  if (!test) {
    if (options.scenario !== undefined) throw new UsageError('--scenario needs --test')
    const scope = (await scopeIn(store, options, null)) ?? null
    return { scope, scenario: null, client: null }
  }
  // Before the ids of objects are looked up: those of the simulated fleet are not among the organization's.
  if (givenIn(options) !== null) {
    throw new UsageError(
      'a test key has no scope, because it opens the whole simulated fleet; leave out the options of a scope',
    )
  }
  return { scope: null, scenario, client: null }
}

async function update(store: Store, options: ScopeOptions, key: number): Promise<CommandResult> {
  const { org } = options
  await organizationOf(store, org)
  const before = (await store.keys.list(org)).find((each) => each.id === key)
  if (before !== undefined && before.scenario !== null) {
    throw new UsageError(
      `key ${key} is a test key, which has no scope: it opens the whole simulated fleet`,
    )
  }
  const scope = before && (await scopeIn(store, options, before.scope))
  if (before !== undefined && scope === undefined) refuseEmpty({})
  const after = scope === undefined ? null : await store.keys.setScope(org, key, scope)
  if (after === null) {
    throw notOwned({ singular: 'key', plural: 'key' }, org, key)
  }
  const json = credentialDocument(after, Date.now())
  return { json, text: card({ ...json, scope: scopeText(json.scope) }) }
}
