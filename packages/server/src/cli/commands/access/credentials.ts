import type { Command, Option } from 'commander'
import { kindOfKey, newSecret, type SecretKind } from '../../../access/secret.ts'
import { type Credential, sameLifetime, stateOf } from '../../../domain/credential.ts'
import { ORGANIZATION_RULES } from '../../../domain/settings/organization-settings.ts'
import { scopeDocument } from '../../../domain/settings/scope-settings.ts'
import { DAY_MS, formatInstant } from '../../../domain/time/time.ts'
import type { KeyStore, NewKey, Store } from '../../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../../command.ts'
import { type Cell, card, table } from '../../terminal/table.ts'
import { duration, ending, id } from '../../value.ts'
import { type OwnerOptions, organizationOf, ownerOption } from '../owner.ts'
import { settingReader } from '../setting-options.ts'
import { scopeText } from './key-scope.ts'

/** A kind of secret for organizations, and its names on the command line. */
export type CredentialCommandKind = {
  /** The command's name: `feed-token`. */
  name: string
  /** The name of the secret, and the field that shows it: `token`. */
  noun: string
  description: string
  /** Undefined: the scenario of an API key decides. */
  secret?: SecretKind
  store(store: Store): KeyStore
  /** Adds the options of `issue` that only API keys have, and reads them. */
  opens?: {
    options(to: Command): Command
    read(store: Store, options: OwnerOptions): Promise<Opened>
  }
  /** Hints for a new secret, printed below it. */
  use?(secret: string): string
}

/** The part of `NewKey` that decides what an API key opens. */
export type Opened = Required<Pick<NewKey, 'scope' | 'scenario'>>

type IssueOptions = OwnerOptions & { name: string; expires?: number }
type RotateOptions = OwnerOptions & { overlap: number; expires?: number }

const OPENS_ALL: Opened = { scope: null, scenario: null }

/** `issue`, `list`, `revoke` and `rotate` of one kind. */
export function credentialCommands(kind: CredentialCommandKind): Command {
  const { name, noun } = kind
  const { issue, list, revoke, rotate } = credentialActions(kind)
  const withOpened = kind.opens?.options ?? ((issuing: Command) => issuing)
  return group(name, kind.description, [
    withOpened(
      command('issue', `issue a ${noun}, and show it only this once`, [
        `${name} issue --org 1`,
        `${name} issue --org 1 --name 'Night report' --expires 90d --json`,
      ])
        .addOption(ownerOption())
        .addOption(
          option('--name <name>', 'what it is for')
            .argParser(settingReader(ORGANIZATION_RULES.name))
            .default('default'),
        )
        .addOption(expiresOption('when it expires', 'never')),
    ).action(onStore(issue)),
    command('list', `list an organization's ${noun}s, never the ${noun}s themselves`, [
      `${name} list --org 1`,
    ])
      .addOption(ownerOption())
      .action(onStore(list)),
    command('revoke', `end a ${noun} at once`, [`${name} revoke --org 1 3`])
      .argument(`<${noun}id>`, 'its id', id)
      .addOption(ownerOption())
      .action(onStore(revoke)),
    command('rotate', `replace a ${noun} with a new one; the old one stays valid for a while`, [
      `${name} rotate --org 1 3`,
      `${name} rotate --org 1 3 --overlap 7d --expires 90d --json`,
    ])
      .argument(`<${noun}id>`, `the id of the old ${noun}`, id)
      .addOption(ownerOption())
      .addOption(
        option('--overlap <duration>', `for how long the old ${noun} still works`)
          .argParser((written) => duration(written))
          .default(DAY_MS, '24h'),
      )
      .addOption(
        expiresOption(`when the new ${noun} expires`, 'as long after now as the old one was given'),
      )
      .action(onStore(rotate)),
  ])
}

function credentialActions(kind: CredentialCommandKind) {
  const { name, noun } = kind

  async function issue(store: Store, options: IssueOptions): Promise<CommandResult> {
    await organizationOf(store, options.org)
    const opened = (await kind.opens?.read(store, options)) ?? OPENS_ALL
    const { secret, ...kept } = newSecret(kind.secret ?? kindOfKey(opened))
    const { name, expires: expiresAt = null } = options
    const given = { ...kept, name, expiresAt, ...opened }
    const issued = await kind.store(store).issue(options.org, given, Date.now())
    return secretResult(issued, secret)
  }

  async function list(store: Store, options: OwnerOptions): Promise<CommandResult> {
    await organizationOf(store, options.org)
    const now = Date.now()
    const all = await kind.store(store).list(options.org)
    return {
      json: all.map((each) => documentOf(each, now)),
      text: table(
        [
          ...['ID', 'NAME', noun.toUpperCase(), 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'],
          ...(kind.opens ? ['SCOPE', 'SCENARIO'] : []),
        ],
        all.map((each) => [
          each.id,
          each.name,
          `${each.prefix}…${each.lastFour}`,
          stateOf(each, now),
          formatInstant(each.createdAt),
          instant(each.expiresAt),
          instant(each.lastUsedAt),
          ...(kind.opens ? [scopeText(scopeDocument(each.scope)), each.scenario] : []),
        ]),
      ),
    }
  }

  async function revoke(
    store: Store,
    options: OwnerOptions,
    credential: number,
  ): Promise<CommandResult> {
    await organizationOf(store, options.org)
    const now = Date.now()
    const revoked = await kind.store(store).revoke(options.org, credential, now)
    if (revoked === null) throw noSuch(options.org, credential)
    return { json: documentOf(revoked, now), text: cardOf(revoked, now) }
  }

  async function rotate(
    store: Store,
    options: RotateOptions,
    credential: number,
  ): Promise<CommandResult> {
    const { org } = options
    await organizationOf(store, org)
    const now = Date.now()
    const old = (await kind.store(store).list(org)).find((each) => each.id === credential)
    if (old === undefined) throw noSuch(org, credential)
    if (stateOf(old, now) !== 'active') {
      throw new Error(`${noun} ${credential} is ${stateOf(old, now)}; issue a new one in its place`)
    }
    const { secret, ...kept } = newSecret(kind.secret ?? kindOfKey(old))
    const replacement = {
      ...kept,
      name: old.name,
      expiresAt: options.expires ?? sameLifetime(old, now),
    }
    const oldExpiresAt = now + options.overlap
    const issued = await kind.store(store).rotate(org, credential, replacement, oldExpiresAt, now)
    if (issued === null) throw noSuch(org, credential)
    const replaced = {
      id: old.id,
      expires_at: instant(Math.min(old.expiresAt ?? Infinity, oldExpiresAt)),
    }
    const { json, text } = secretResult(issued, secret)
    return {
      json: { ...json, replaces: replaced },
      text: `${text}\n\nThe old ${noun}, ${old.id}, works until ${replaced.expires_at}.`,
    }
  }

  /** A new secret, at the only time when it is shown. */
  function secretResult(issued: Credential, secret: string): CommandResult {
    const { createdAt: now } = issued
    const json = { ...documentOf(issued, now), [noun]: secret }
    const parts = [
      cardOf(issued, now, { [noun]: secret }),
      `Keep the ${noun} now: it is not shown again.`,
    ]
    if (kind.use !== undefined) parts.push(kind.use(secret))
    return { json, text: parts.join('\n\n') }
  }

  /** Only API keys have a scope and a scenario. */
  function documentOf(credential: Credential, now: number) {
    const { scope, scenario, ...document } = credentialDocument(credential, now)
    return kind.opens === undefined ? document : { ...document, scope, scenario }
  }

  function cardOf(credential: Credential, now: number, more: Record<string, Cell> = {}): string {
    const { scope, scenario, ...fields } = credentialDocument(credential, now)
    const shown = scopeText(scope)
    const opened = {
      ...(shown !== null && { scope: shown }),
      ...(scenario !== null && { scenario }),
    }
    return card({ ...fields, ...opened, ...more })
  }

  function noSuch(organization: number, credential: number): Error {
    return new Error(
      `organization ${organization} has no ${noun} ${credential}; 'fleetgate ${name} list --org ${organization}' shows those it has`,
    )
  }

  return { issue, list, revoke, rotate }
}

export function expiresOption(description: string, absent: string): Option {
  return option(
    '--expires <when>',
    `${description}, a date, a time or a duration such as 90d (default: ${absent})`,
  ).argParser((written) => ending(written, Date.now()))
}

export function credentialDocument(credential: Credential, now: number) {
  return {
    id: credential.id,
    organization: credential.organization,
    name: credential.name,
    prefix: credential.prefix,
    last_four: credential.lastFour,
    state: stateOf(credential, now),
    created_at: formatInstant(credential.createdAt),
    expires_at: instant(credential.expiresAt),
    revoked_at: instant(credential.revokedAt),
    last_used_at: instant(credential.lastUsedAt),
    scope: scopeDocument(credential.scope),
    scenario: credential.scenario,
  }
}

function instant(time: number | null): string | null {
  return time === null ? null : formatInstant(time)
}
