import type { Command } from 'commander'
import { byTopic, ITEM_TOPICS } from '../../domain/items.ts'
import {
  ORGANIZATION_DEFAULTS,
  ORGANIZATION_RULES,
  type Organization,
  type OrganizationSettings,
} from '../../domain/organization.ts'
import { ORGANIZATION } from '../../operator/organizations.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, group, onStore } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import {
  addSettingOptions,
  givenSettings,
  id,
  organizationOf,
  refuseEmpty,
  settingReader,
} from '../options.ts'
import { card, confirm, listing, yesOption } from '../terminal.ts'

const { dailyQuota, retentionDays } = ORGANIZATION_RULES
const UNLIMITED = dailyQuota.none!
const FOR_EVER = retentionDays.none!

export function organizationCommands(description: string): Command {
  return group('org', description, [
    addSettingOptions(
      command('create', 'create an organization', [
        "org create 'Acme Logistics'",
        "org create 'Acme Logistics' --distance-unit mi --daily-quota 500 --json",
      ]).argument('[name]', 'its name, in place of --name', settingReader(ORGANIZATION_RULES.name)),
      ORGANIZATION_RULES,
    ).action(create),
    command('list', 'list all organizations', ['org list', 'org list --json']).action(
      onStore(list),
    ),
    command('show', 'show one organization', ['org show 1'])
      .argument('<id>', 'its id', id)
      .action(onStore(show)),
    addSettingOptions(
      command('update', 'change the settings that are given', [
        'org update 1 --subscription suspended',
        'org update 1 --daily-quota unlimited --language de',
        'org update 1 --create-objects --max-objects 500 --retention-days 400',
        'org update 1 --signal-timeout-hours 6 --time-zone Europe/Madrid',
      ]).argument('<id>', 'its id', id),
      ORGANIZATION_RULES,
    ).action(onStore(update)),
    command('delete', 'delete an organization and all that it owns', ['org delete 1 --yes'])
      .argument('<id>', 'its id', id)
      .addOption(yesOption())
      .action(onStore(remove)),
  ])
}

type GivenOptions = Record<string, unknown>

function settingsOf(options: GivenOptions): Partial<OrganizationSettings> {
  return givenSettings(ORGANIZATION_RULES, options)
}

async function create(name: string | undefined, options: GivenOptions, self: Command) {
  const given = settingsOf(options)
  const chosen = name ?? given.name
  // Check before a data folder is created for it.
  if (chosen === undefined) {
    throw new UsageError("an organization needs a name: fleetgate org create 'Acme Logistics'")
  }
  const settings = { ...ORGANIZATION_DEFAULTS, ...given, name: chosen }
  const inStore = async (store: Store) =>
    resultOf(await store.organizations.create(settings, Date.now()))
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
  return resultOf(await organizationOf(store, organization))
}

async function update(
  store: Store,
  options: GivenOptions,
  organization: number,
): Promise<CommandResult> {
  const patch = settingsOf(options)
  refuseEmpty(patch)
  await organizationOf(store, organization)
  const updated = await store.organizations.update(organization, patch, Date.now())
  return resultOf(updated ?? (await organizationOf(store, organization)))
}

async function remove(
  store: Store,
  options: { yes?: boolean },
  id: number,
): Promise<CommandResult> {
  const organization = await organizationOf(store, id)
  const owned = await countOwned(store, id)
  const what = `organization ${id}, '${harmless(organization.name)}', with its ${owned}`
  await confirm(`this deletes ${what}`, options)
  await store.organizations.delete(id)
  return { json: { id, deleted: true }, text: `Deleted ${what}` }
}

async function countOwned(store: Store, organization: number): Promise<string> {
  const owned = {
    keys: store.keys,
    'feed tokens': store.feedTokens,
    ...byTopic(ITEM_TOPICS, (topic) => store[topic]),
  }
  const counts = await Promise.all(
    Object.entries(owned).map(
      async ([kind, part]) => `${kind} (${(await part.list(organization)).length})`,
    ),
  )
  return `${counts.join(', ')} and all positions`
}

function resultOf(organization: Organization): CommandResult {
  const json = ORGANIZATION.write(organization)
  const shown = {
    ...json,
    daily_quota: json.daily_quota ?? UNLIMITED,
    retention_days: json.retention_days ?? FOR_EVER,
  }
  return { json, text: card(shown) }
}
