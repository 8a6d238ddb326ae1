import { type Command, InvalidArgumentError } from 'commander'
import {
  ORGANIZATION_DEFAULTS,
  type Organization,
  type OrganizationSettings,
} from '../domain/organization.ts'
import { ORGANIZATION_RULES } from '../domain/organization-settings.ts'
import { readValue } from '../domain/rule.ts'
import { formatInstant } from '../domain/time.ts'
import type { Store } from '../store/store.ts'
import { type Answer, command, group, onStore, option } from './command.ts'
import { confirm, yesOption } from './confirmation.ts'
import { UsageError } from './failure.ts'
import { organizationOf } from './owner.ts'
import { addSettingOptions, givenSettings, refuseEmpty, settingReader } from './setting-options.ts'
import { card, table } from './table.ts'
import { id } from './value.ts'

const UNLIMITED = 'unlimited'

export function organizationCommands(): Command {
  return group('org', 'organizations: who owns a fleet, and the keys to it', [
    settable(
      command('create', 'create an organization', [
        "org create 'Acme Logistics'",
        "org create 'Acme Logistics' --distance-unit mi --daily-quota 500 --json",
      ]).argument('[name]', 'its name, in place of --name', settingReader(ORGANIZATION_RULES.name)),
    ).action(create),
    command('list', 'list all organizations', ['org list', 'org list --json']).action(
      onStore(list),
    ),
    command('show', 'show one organization', ['org show 1'])
      .argument('<id>', 'its id', id)
      .action(onStore(show)),
    settable(
      command('update', 'change the settings that are given', [
        'org update 1 --subscription suspended',
        'org update 1 --daily-quota unlimited --language de',
      ]).argument('<id>', 'its id', id),
    ).action(onStore(update)),
    command('delete', 'delete an organization and all that it owns', ['org delete 1 --yes'])
      .argument('<id>', 'its id', id)
      .addOption(yesOption())
      .action(onStore(remove)),
  ])
}

type GivenOptions = Record<string, unknown> & { dailyQuota?: number | typeof UNLIMITED }

function settable(to: Command): Command {
  addSettingOptions(to, ORGANIZATION_RULES, {
    name: 'its name',
    distanceUnit: 'unit of odometer, mileage and speeds',
    language: 'language of messages',
    subscription: 'whether it may use the position endpoints',
  })
  return to.addOption(
    option('--daily-quota <quota>', `charges per object and day, or ${UNLIMITED}`).argParser(
      readQuota,
    ),
  )
}

function settingsOf(options: GivenOptions): Partial<OrganizationSettings> {
  const settings = givenSettings(ORGANIZATION_RULES, options)
  return options.dailyQuota === UNLIMITED ? { ...settings, dailyQuota: null } : settings
}

function readQuota(written: string): number | typeof UNLIMITED {
  if (written === UNLIMITED) return UNLIMITED
  const value = readValue(ORGANIZATION_RULES.dailyQuota, written)
  if (typeof value !== 'number') {
    throw new InvalidArgumentError(
      `it must be ${ORGANIZATION_RULES.dailyQuota.says}, or ${UNLIMITED}`,
    )
  }
  return value
}

async function create(name: string | undefined, options: GivenOptions, self: Command) {
  const given = settingsOf(options)
  const chosen = name ?? given.name
  // Seen to before the data folder is made for it.
  if (chosen === undefined) {
    throw new UsageError("an organization needs a name: fleetgate org create 'Acme Logistics'")
  }
  const settings = { ...ORGANIZATION_DEFAULTS, ...given, name: chosen }
  const inStore = async (store: Store) =>
    tell(await store.organizations.create(settings, Date.now()))
  await onStore(inStore, 'create')(options, self)
}

async function list(store: Store): Promise<Answer> {
  const organizations = await store.organizations.list()
  return {
    json: organizations.map(documentOf),
    text: table(
      ['ID', 'NAME', 'UNIT', 'LANGUAGE', 'SUBSCRIPTION', 'DAILY QUOTA', 'CREATED'],
      organizations.map((each) => [
        each.id,
        each.name,
        each.distanceUnit,
        each.language,
        each.subscription,
        each.dailyQuota ?? UNLIMITED,
        formatInstant(each.createdAt),
      ]),
    ),
  }
}

async function show(store: Store, _: unknown, organization: number): Promise<Answer> {
  return tell(await organizationOf(store, organization))
}

async function update(store: Store, options: GivenOptions, organization: number): Promise<Answer> {
  const patch = settingsOf(options)
  refuseEmpty(patch)
  await organizationOf(store, organization)
  const updated = await store.organizations.update(organization, patch, Date.now())
  return tell(updated ?? (await organizationOf(store, organization)))
}

async function remove(store: Store, options: { yes?: boolean }, id: number): Promise<Answer> {
  const organization = await organizationOf(store, id)
  const owned = await countOwned(store, id)
  await confirm(
    `this deletes organization ${id}, '${organization.name}', with its ${owned}`,
    options,
  )
  await store.organizations.delete(id)
  return {
    json: { id, deleted: true },
    text: `Deleted organization ${id}, '${organization.name}', with its ${owned}`,
  }
}

async function countOwned(store: Store, organization: number): Promise<string> {
  const counts = await Promise.all(
    (['keys', 'objects', 'geofences', 'routes', 'sites'] as const).map(
      async (kind) => `${kind} (${(await store[kind].list(organization)).length})`,
    ),
  )
  return `${counts.join(', ')} and all positions`
}

function tell(organization: Organization): Answer {
  const json = documentOf(organization)
  return { json, text: card({ ...json, daily_quota: json.daily_quota ?? UNLIMITED }) }
}

function documentOf(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    distance_unit: organization.distanceUnit,
    language: organization.language,
    subscription: organization.subscription,
    daily_quota: organization.dailyQuota,
    created_at: formatInstant(organization.createdAt),
    updated_at: formatInstant(organization.updatedAt),
  }
}
