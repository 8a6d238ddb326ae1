import type { Command } from 'commander'
import { organizationOf } from '../../acts/act.ts'
import { ORGANIZATION_ACTS } from '../../acts/organization-acts.ts'
import { ORGANIZATION } from '../../acts/organization-bodies.ts'
import { byTopic, ITEM_TOPICS } from '../../base/domain/item-rules.ts'
import { ORGANIZATION_RULES, type Organization } from '../../base/domain/organization.ts'
import type { Store } from '../../engine/store/store.ts'
import { actCommand, callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, group, onStore } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import { addSettingOptions, givenBody, id, settingReader } from '../options.ts'
import { card, listing } from '../terminal.ts'

const { dailyQuota, retentionDays } = ORGANIZATION_RULES
const UNLIMITED = dailyQuota.none!
const FOR_EVER = retentionDays.none!

export function organizationCommands(description: string): Command {
  return group('org', description, [
    addSettingOptions(
      command('create', 'create an organization', [
        "org create 'Acme Logistics'",
        "org create 'Acme Logistics' --distance-unit mi --daily-quota 500 --json",
      ]).argument('[name]', 'its name, instead of --name', settingReader(ORGANIZATION_RULES.name)),
      ORGANIZATION_RULES,
    ).action(create),
    command('list', 'list all organizations', ['org list', 'org list --json']).action(
      onStore(list),
    ),
    command('show', 'show one organization', ['org show 1'])
      .argument('<id>', 'its id', id)
      .action(onStore(show)),
    actCommand(ORGANIZATION_ACTS.updateOrganization, {
      name: 'update',
      description: 'change the settings that are given',
      examples: [
        'org update 1 --subscription suspended',
        'org update 1 --daily-quota unlimited --language de',
        'org update 1 --create-objects --max-objects 500 --retention-days 400',
        'org update 1 --signal-timeout-hours 6 --time-zone Europe/Madrid',
      ],
      numbers,
      settings: {},
      show: resultOf,
    }),
    actCommand(ORGANIZATION_ACTS.deleteOrganization, {
      name: 'delete',
      examples: ['org delete 1 --yes'],
      numbers,
      async deletes({ store, params }) {
        const { id, name } = await found(store, params.organization!)
        return `organization ${id}, '${harmless(name)}', with its ${await countOwned(store, id)}`
      },
      show: (_, { params: { organization: id } }, { deleted }) => ({
        json: { id, deleted: true },
        text: `Deleted ${deleted}`,
      }),
    }),
  ])
}

const numbers = { organization: { as: 'id' } }

type GivenOptions = Record<string, unknown>

async function create(name: string | undefined, options: GivenOptions, self: Command) {
  const given = givenBody(ORGANIZATION_RULES, options)
  const chosen = name ?? given.name
  // Check before a data folder is created for it.
  if (chosen === undefined) {
    throw new UsageError("a name is required: fleetgate org create 'Acme Logistics'")
  }
  const body = { ...given, name: chosen }
  const inStore = async (store: Store) =>
    resultOf(await runAct(ORGANIZATION_ACTS.createOrganization, callOn(store, {}, body)))
  await onStore(inStore, 'create')(options, self)
}

async function list(store: Store): Promise<CommandResult> {
  const organizations = await store.organizations.list()
  return listing(organizations.map(ORGANIZATION.write), [
    'id',
    'name',
    ['UNIT', 'distance_unit'],
    'language',
    'subscription',
    ['DAILY QUOTA', ({ daily_quota }) => daily_quota ?? UNLIMITED],
    ['RETENTION', ({ retention_days: days }) => (days === null ? FOR_EVER : `${days}d`)],
    'created_at',
  ])
}

async function show(store: Store, _: unknown, organization: number): Promise<CommandResult> {
  return resultOf(ORGANIZATION.write(await found(store, organization)))
}

function found(store: Store, organization: number): Promise<Organization> {
  return runAct({ run: organizationOf }, callOn(store, { organization }))
}

async function countOwned(store: Store, organization: number): Promise<string> {
  const owned = {
    keys: store.keys,
    'feed tokens': store.feedTokens,
    links: store.links,
    ...byTopic(ITEM_TOPICS, (topic) => store[topic]),
  }
  const counts = await Promise.all(
    Object.entries(owned).map(
      async ([kind, part]) => `${kind} (${(await part.list(organization)).length})`,
    ),
  )
  return `${counts.join(', ')} and all positions`
}

function resultOf(json: ReturnType<typeof ORGANIZATION.write>): CommandResult {
  const shown = {
    ...json,
    daily_quota: json.daily_quota ?? UNLIMITED,
    retention_days: json.retention_days ?? FOR_EVER,
    disclosure_days: json.disclosure_days ?? FOR_EVER,
  }
  return { json, text: card(shown) }
}
