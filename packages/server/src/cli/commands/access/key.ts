import type { Command } from 'commander'
import { API_KEY } from '../../../access/secret.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore } from '../../command.ts'
import { card } from '../../terminal/table.ts'
import { id } from '../../value.ts'
import { organizationOf, ownerOption } from '../owner.ts'
import { refuseEmpty } from '../setting-options.ts'
import { credentialCommands, credentialDocument } from './credentials.ts'
import { disclosuresCommand } from './disclosures.ts'
import { addScopeOptions, type ScopeOptions, scopeIn, scopeText } from './key-scope.ts'

export function keyCommands(): Command {
  const commands = credentialCommands({
    name: 'key',
    noun: 'key',
    description: "API keys: they open an organization's data",
    secret: API_KEY,
    store: (store) => store.keys,
    scoped: {
      options: addScopeOptions,
      read: async (store, options) => (await scopeIn(store, options, null)) ?? null,
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

async function update(store: Store, options: ScopeOptions, key: number): Promise<CommandResult> {
  const { org } = options
  await organizationOf(store, org)
  const before = (await store.keys.list(org)).find((each) => each.id === key)
  const scope = before && (await scopeIn(store, options, before.scope))
  if (before !== undefined && scope === undefined) refuseEmpty({})
  const after = scope === undefined ? null : await store.keys.setScope(org, key, scope)
  if (after === null) {
    throw new Error(
      `organization ${org} has no key ${key}; 'fleetgate key list --org ${org}' shows those it has`,
    )
  }
  const json = credentialDocument(after, Date.now())
  return { json, text: card({ ...json, scope: scopeText(json.scope) }) }
}
