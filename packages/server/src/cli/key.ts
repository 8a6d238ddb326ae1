import type { Command, Option } from 'commander'
import { newApiKey } from '../access/api-key.ts'
import type { ApiKey } from '../domain/api-key.ts'
import { ORGANIZATION_RULES } from '../domain/organization-settings.ts'
import { DAY_MS, formatInstant } from '../domain/time.ts'
import type { Store } from '../store/store.ts'
import { type Answer, command, group, onStore, option } from './command.ts'
import { type OwnerOptions, organizationOf, ownerOption } from './owner.ts'
import { settingReader } from './setting-options.ts'
import { card, table } from './table.ts'
import { duration, ending, id } from './value.ts'

export function keyCommands(): Command {
  return group('key', "API keys: what opens an organization's data", [
    command('issue', 'issue a key, and show it this once', [
      'key issue --org 1',
      "key issue --org 1 --name 'Night report' --expires 90d --json",
    ])
      .addOption(ownerOption())
      .addOption(
        option('--name <name>', 'what it is for')
          .argParser(settingReader(ORGANIZATION_RULES.name))
          .default('default'),
      )
      .addOption(expiresOption('when it expires', 'never'))
      .action(onStore(issue)),
    command('list', "list an organization's keys, never the keys themselves", ['key list --org 1'])
      .addOption(ownerOption())
      .action(onStore(list)),
    command('revoke', 'end a key at once', ['key revoke --org 1 3'])
      .argument('<keyid>', 'its id', id)
      .addOption(ownerOption())
      .action(onStore(revoke)),
    command('rotate', 'issue a key in place of another, which goes on for a while', [
      'key rotate --org 1 3',
      'key rotate --org 1 3 --overlap 7d --expires 90d --json',
    ])
      .argument('<keyid>', 'the id of the old key', id)
      .addOption(ownerOption())
      .addOption(
        option('--overlap <duration>', 'for how long the old key still works')
          .argParser((written) => duration(written))
          .default(DAY_MS, '24h'),
      )
      .addOption(
        expiresOption('when the new key expires', 'as long after now as the old one was given'),
      )
      .action(onStore(rotate)),
  ])
}

type IssueOptions = OwnerOptions & { name: string; expires?: number }
type RotateOptions = OwnerOptions & { overlap: number; expires?: number }

function expiresOption(description: string, absent: string): Option {
  return option(
    '--expires <when>',
    `${description}, a date, a time or a duration such as 90d (default: ${absent})`,
  ).argParser((written) => ending(written, Date.now()))
}

async function issue(store: Store, options: IssueOptions): Promise<Answer> {
  await organizationOf(store, options.org)
  const { key, ...kept } = newApiKey()
  const issued = await store.keys.issue(
    options.org,
    { ...kept, name: options.name, expiresAt: options.expires ?? null },
    Date.now(),
  )
  return tellOnce(issued, key)
}

async function list(store: Store, options: OwnerOptions): Promise<Answer> {
  await organizationOf(store, options.org)
  const now = Date.now()
  const keys = await store.keys.list(options.org)
  return {
    json: keys.map((each) => documentOf(each, now)),
    text: table(
      ['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'],
      keys.map((each) => [
        each.id,
        each.name,
        `${each.prefix}…${each.lastFour}`,
        stateOf(each, now),
        formatInstant(each.createdAt),
        instant(each.expiresAt),
        instant(each.lastUsedAt),
      ]),
    ),
  }
}

async function revoke(store: Store, options: OwnerOptions, keyId: number): Promise<Answer> {
  await organizationOf(store, options.org)
  const now = Date.now()
  const revoked = await store.keys.revoke(options.org, keyId, now)
  if (revoked === null) throw noSuchKey(options.org, keyId)
  const json = documentOf(revoked, now)
  return { json, text: card(json) }
}

async function rotate(store: Store, options: RotateOptions, keyId: number): Promise<Answer> {
  await organizationOf(store, options.org)
  const now = Date.now()
  const old = (await store.keys.list(options.org)).find((each) => each.id === keyId)
  if (old === undefined) throw noSuchKey(options.org, keyId)
  if (stateOf(old, now) !== 'active') {
    throw new Error(`key ${keyId} is ${stateOf(old, now)}; issue a new one in its place`)
  }
  const lifetime = old.expiresAt === null ? null : now + old.expiresAt - old.createdAt
  const { key, ...kept } = newApiKey()
  const replacement = { ...kept, name: old.name, expiresAt: options.expires ?? lifetime }
  const oldExpiresAt = now + options.overlap
  const issued = await store.keys.rotate(options.org, keyId, replacement, oldExpiresAt, now)
  if (issued === null) throw noSuchKey(options.org, keyId)
  const replaced = {
    id: old.id,
    expires_at: instant(Math.min(old.expiresAt ?? Infinity, oldExpiresAt)),
  }
  const { json, text } = tellOnce(issued, key)
  return {
    json: { ...json, replaces: replaced },
    text: `${text}\n\nThe old key, ${old.id}, works until ${replaced.expires_at}.`,
  }
}

/** A key that was just made, with the key itself: the only time it is shown. */
function tellOnce(issued: ApiKey, key: string): Answer {
  const json = { ...documentOf(issued, issued.createdAt), key }
  return { json, text: `${card(json)}\n\nKeep the key now: it is not shown again.` }
}

function documentOf(key: ApiKey, now: number) {
  return {
    id: key.id,
    organization: key.organization,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    state: stateOf(key, now),
    created_at: formatInstant(key.createdAt),
    expires_at: instant(key.expiresAt),
    revoked_at: instant(key.revokedAt),
    last_used_at: instant(key.lastUsedAt),
  }
}

function stateOf(key: ApiKey, now: number): 'active' | 'revoked' | 'expired' {
  if (key.revokedAt !== null) return 'revoked'
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active'
}

function instant(time: number | null): string | null {
  return time === null ? null : formatInstant(time)
}

function noSuchKey(organization: number, keyId: number): Error {
  return new Error(
    `organization ${organization} has no key ${keyId}; 'fleetgate key list --org ${organization}' shows those it has`,
  )
}
