import type { Command } from 'commander'
import type { ActCall } from '../../acts/act.ts'
import { KEY_ACTS, KEY_SCOPE_ACTS } from '../../acts/credential-acts.ts'
import { DISCLOSURE_ACTS } from '../../acts/disclosure-acts.ts'
import type { Body } from '../../acts/input.ts'
import { DISCLOSEE_RULES, type Disclosee, TEST_SCENARIOS } from '../../base/domain/credential.ts'
import { SCOPE_RULES, type ScopeSettings, scopeDocument } from '../../base/domain/key-scope.ts'
import { actCommand } from '../act-command.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { addSettingOptions, givenBody, orAll, refuseEmpty } from '../options.ts'
import { card, listing } from '../terminal.ts'
import { credentialCommands, credentialDocument } from './credential-commands.ts'
import { givenGrants, grantOption } from './grant-option.ts'
import { scopeText } from './scope-text.ts'

type Given = Record<string, unknown>

export function keyCommands(description: string): Command {
  const commands = credentialCommands({
    acts: KEY_ACTS,
    name: 'key',
    noun: 'key',
    description,
    exampleName: "'Night report'",
    own: {
      options: (to) => addScopeOptions(addTestOptions(addDiscloseeOptions(to))),
      body: newBody,
      fields: ['recipient', 'purpose', 'scope', 'scenario'],
    },
  })
  commands.addCommand(
    actCommand(KEY_SCOPE_ACTS.updateKey, {
      name: 'update',
      examples: [
        'key update --org 1 3 --objects 7,8 --data-until 2026-12-31',
        'key update --org 1 3 --operations all --window-share 3',
        "key update --org 1 3 --recipient 'Insurer Ltd' --purpose 'Claims'",
      ],
      numbers: { credential: { as: 'keyid' } },
      options: (to) => addScopeOptions(addDiscloseeOptions(to)),
      body: patchBody,
      show(after, call) {
        const json = credentialDocument(call, after)
        const { scope, lacks_purpose } = json
        const shown = { scope: scopeText(scope), lacks_purpose: String(lacks_purpose) }
        return { json, text: card({ ...json, ...shown }) }
      },
    }),
  )
  commands.addCommand(disclosuresCommand())
  return commands
}

function addTestOptions(to: Command): Command {
  return to
    .addOption(
      option('--test', 'a test key: gives access to the simulated fleet only (docs/testing.md)'),
    )
    .addOption(
      option('--scenario <name>', 'how the simulated fleet answers a test key').choices(
        TEST_SCENARIOS,
      ),
    )
}

function addDiscloseeOptions(to: Command): Command {
  return addSettingOptions<Disclosee>(to, DISCLOSEE_RULES)
}

function addScopeOptions(to: Command): Command {
  return addSettingOptions(to, SCOPE_RULES, ['grants'], orAll).addOption(
    grantOption(', instead of --objects, --data-from, --data-until and --attributes'),
  )
}

function givenScope(options: Given): Body {
  return { ...givenBody<ScopeSettings>(SCOPE_RULES, options), ...givenGrants(options) }
}

function newBody(options: Given): Body {
  const { test = false, scenario } = options
  if (!test && scenario !== undefined) throw new UsageError('--scenario requires --test')
  const scope = givenScope(options)
  return {
    ...givenBody<Disclosee>(DISCLOSEE_RULES, options),
    ...(Object.keys(scope).length > 0 && { scope }),
    ...(test === true && { scenario: scenario ?? 'standard' }),
  }
}

/** The scope that is given changes the present one part by part. */
async function patchBody(options: Given, { store, params }: ActCall): Promise<Body> {
  const disclosee = givenBody<Disclosee>(DISCLOSEE_RULES, options)
  const given = givenScope(options)
  refuseEmpty({ ...disclosee, ...given })
  if (Object.keys(given).length === 0) return disclosee
  const keys = await store.keys.list(params.organization!)
  const { scenario = null, scope = null } = keys.find(({ id }) => id === params.credential) ?? {}
  const { operations = null, window_share = null, ...limits } = scopeDocument(scope) ?? {}
  const before = { operations, window_share, ...(given.grants ? {} : limits) }
  if (scenario === null) return { ...disclosee, scope: { ...before, ...given } }
  throw new UsageError(
    `key ${params.credential} is a test key, which has no scope: it gives access to the whole simulated fleet`,
  )
}

function disclosuresCommand(): Command {
  return actCommand(DISCLOSURE_ACTS.exportDisclosuresJson, {
    name: 'disclosures',
    description: 'show data access by reader, object and day; answers count after a minute',
    examples: [
      'key disclosures --org 1',
      'key disclosures --org 1 --totals --object 7',
      "key disclosures --org 1 --recipient 'Insurer Ltd' --json",
      'key disclosures --org 1 --key 3 --from 2026-12-01 --to 2026-12-07 --json',
      'key disclosures --org 1 --source person --totals',
    ],
    options: (to) =>
      to.addOption(
        option('--totals', 'show the totals of each recipient, purpose and kind of data'),
      ),
    instead: ({ totals }) => (totals === true ? DISCLOSURE_ACTS.listRecipients : undefined),
    show: ({ items }, _, { options }) => listing(items, options.totals ? TOTALS : ROWS),
  })
}

const ROWS = [
  ...(['date', 'source', 'source_name', 'recipient', 'purpose'] as const),
  ...(['object', 'data', 'requests', 'rows'] as const),
]
const TOTALS = [
  ...(['source', 'recipient', 'purpose', 'data', 'readers', 'objects'] as const),
  ...(['first_date', 'last_date', 'rows'] as const),
]
