import type { Command, Option } from 'commander'
import type { SecretKind } from '../../access/secret.ts'
import { CREDENTIAL_RULES } from '../../domain/access-settings.ts'
import { type Credential, stateOf } from '../../domain/credential.ts'
import { DEPLOYMENT } from '../../domain/routing.ts'
import { helpOf } from '../../domain/setting-rule.ts'
import { DAY_MS } from '../../domain/time/time.ts'
import {
  type CredentialOwner,
  DEPLOYMENT_OWNER,
  credentialDocument as documentInApi,
  type IssuedCredential,
  issueCredential,
  rotateCredential,
} from '../../operator/credentials.ts'
import { writtenInstant } from '../../operator/schema.ts'
import type { KeyStore, NewKey } from '../../store/key-store.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import {
  duration,
  ending,
  id,
  notOwned,
  type OwnerOptions,
  organizationOf,
  ownerOption,
  settingReader,
} from '../options.ts'
import { type Cell, type Column, card, listing } from '../terminal.ts'
import { scopeText } from './key-scope.ts'

/** A kind of secret for organizations, and its names on the command line. */
type CredentialCommandKind = {
  /** The command's name: `feed-token`. */
  name: string
  /** The name of the secret, and the field that shows it: `token`. */
  noun: string
  description: string
  /** A name as a shell takes it, for the examples. */
  exampleName: string
  /** Undefined: the scenario of an API key decides. */
  secret?: SecretKind
  store(store: Store): KeyStore
  /** The deployment has them, instead of organizations. Their command then has a longer name. */
  ofDeployment?: { name: string }
  /** The options of `issue` that only this kind has, and its fields. */
  own: {
    options(to: Command): Command
    read(store: Store, options: OwnerOptions): Promise<Own>
    fields: readonly (keyof Own)[]
  }
  /** Hints for a new secret, printed below it. */
  use?(store: Store, secret: string): Promise<string>
}

/** The part of `NewKey` that only one of the kinds has. */
export type Own = Required<Pick<NewKey, 'scope' | 'scenario' | 'client' | 'recipient' | 'purpose'>>

type IssueOptions = OwnerOptions & { name: string; expires?: number }
type RotateOptions = OwnerOptions & { overlap: number; expires?: number }

type Listed = Column<ReturnType<typeof credentialDocument>>

const OWN_COLUMNS: Readonly<Record<keyof Own, Listed>> = {
  scope: ['SCOPE', ({ scope }) => scopeText(scope)],
  scenario: 'scenario',
  client: 'client',
  recipient: 'recipient',
  purpose: [
    'PURPOSE',
    ({ purpose, lacks_purpose }) => (lacks_purpose ? `${purpose ?? ''} (${LACKING})` : purpose),
  ],
}

const LACKING = 'lacks what its organization requires'

/** `issue`, `list`, `revoke` and `rotate` of one kind. */
export function credentialCommands(kind: CredentialCommandKind): Command {
  const { noun, ofDeployment } = kind
  const { issue, list, revoke, rotate } = credentialActions(kind)
  const name = ofDeployment?.name ?? kind.name
  const org = ofDeployment === undefined ? ' --org 1' : ''
  const whose = ofDeployment === undefined ? `an organization's ${noun}s` : `the ${noun}s`
  const owned = (to: Command) => (ofDeployment === undefined ? to.addOption(ownerOption()) : to)
  return group(kind.name, kind.description, [
    kind.own
      .options(
        owned(
          command('issue', `issue a ${noun}, and show it once`, [
            `${name} issue${org}`,
            `${name} issue${org} --name ${kind.exampleName} --expires 90d --json`,
          ]),
        )
          .addOption(
            option('--name <name>', helpOf(CREDENTIAL_RULES.name))
              .argParser(settingReader(CREDENTIAL_RULES.name))
              .default('default'),
          )
          .addOption(expiresOption('when it expires', 'never')),
      )
      .action(onStore(issue)),
    owned(command('list', `list ${whose}, without their secrets`, [`${name} list${org}`])).action(
      onStore(list),
    ),
    owned(
      command('revoke', `end a ${noun} at once`, [`${name} revoke${org} 3`]).argument(
        `<${noun}id>`,
        'its id',
        id,
      ),
    ).action(onStore(revoke)),
    owned(
      command('rotate', `replace a ${noun} with a new one; the old one stays valid for a while`, [
        `${name} rotate${org} 3`,
        `${name} rotate${org} 3 --overlap 7d --expires 90d --json`,
      ]).argument(`<${noun}id>`, `the id of the old ${noun}`, id),
    )
      .addOption(
        option('--overlap <duration>', `for how long the old ${noun} still works`)
          .argParser((written) => duration(written))
          .default(DAY_MS, '24h'),
      )
      .addOption(
        expiresOption(`when the new ${noun} expires`, 'the lifetime of the old one, from now'),
      )
      .action(onStore(rotate)),
  ])
}

function credentialActions(kind: CredentialCommandKind) {
  const { noun } = kind

  /** The organization that a command names, or the deployment. */
  async function ownerOf(store: Store, { org }: OwnerOptions): Promise<CredentialOwner> {
    return kind.ofDeployment === undefined ? organizationOf(store, org) : DEPLOYMENT_OWNER
  }

  async function issue(store: Store, options: IssueOptions): Promise<CommandResult> {
    const owner = await ownerOf(store, options)
    const own = await kind.own.read(store, options)
    const { name, expires: expiresAt = null } = options
    const wanted = { name, expiresAt, ...own }
    const keys = kind.store(store)
    const issued = await issueCredential(keys, owner, wanted, Date.now(), kind.secret)
    return secretResult(store, kind, owner, issued)
  }

  async function list(store: Store, options: OwnerOptions): Promise<CommandResult> {
    const owner = await ownerOf(store, options)
    const now = Date.now()
    const all = await kind.store(store).list(owner.id)
    return {
      ...listing(
        all.map((each) => credentialDocument(owner, each, now)),
        columnsOf(kind),
      ),
      json: all.map((each) => documentOf(kind, owner, each, now)),
    }
  }

  async function revoke(
    store: Store,
    options: OwnerOptions,
    credential: number,
  ): Promise<CommandResult> {
    const owner = await ownerOf(store, options)
    const now = Date.now()
    const revoked = await kind.store(store).revoke(owner.id, credential, now)
    if (revoked === null) throw noSuch(kind, owner.id, credential)
    return { json: documentOf(kind, owner, revoked, now), text: cardOf(owner, revoked, now) }
  }

  async function rotate(
    store: Store,
    options: RotateOptions,
    credential: number,
  ): Promise<CommandResult> {
    const owner = await ownerOf(store, options)
    const now = Date.now()
    const old = await activeOne(kind, store, owner, credential, now)
    const { overlap: overlapMs, expires: expiresAt } = options
    const lasts = { overlapMs, expiresAt }
    const issued = await rotateCredential(kind.store(store), owner, old, lasts, now, kind.secret)
    if (issued === null) throw noSuch(kind, owner.id, credential)
    const replaced = {
      id: old.id,
      expires_at: writtenInstant(Math.min(old.expiresAt ?? Infinity, now + overlapMs)),
    }
    const { json, text } = await secretResult(store, kind, owner, issued)
    return {
      json: { ...json, replaces: replaced },
      text: `${text}\n\nThe old ${noun}, ${old.id}, works until ${replaced.expires_at}.`,
    }
  }

  return { issue, list, revoke, rotate }
}

/** The credential of an id. Throws if there is none, or if it is not active. */
async function activeOne(
  kind: CredentialCommandKind,
  store: Store,
  owner: CredentialOwner,
  credential: number,
  now: number,
): Promise<Credential> {
  const all = await kind.store(store).list(owner.id)
  const found = all.find(({ id }) => id === credential)
  if (found === undefined) throw noSuch(kind, owner.id, credential)
  const state = stateOf(found, now)
  if (state !== 'active') {
    throw new Error(`${kind.noun} ${credential} is ${state}; issue a new one in its place`)
  }
  return found
}

function columnsOf({ noun, own }: CredentialCommandKind): Listed[] {
  return [
    'id',
    'name',
    [noun.toUpperCase(), ({ prefix, last_four }) => `${prefix}…${last_four}`],
    'state',
    'created_at',
    'expires_at',
    'last_used_at',
    ...own.fields.map((field) => OWN_COLUMNS[field]),
  ]
}

/** A new secret, at the only time when it is shown. */
async function secretResult(
  store: Store,
  kind: CredentialCommandKind,
  owner: CredentialOwner,
  { credential: issued, secret }: IssuedCredential,
): Promise<CommandResult> {
  const { noun } = kind
  const { createdAt: now } = issued
  const json = { ...documentOf(kind, owner, issued, now), [noun]: secret }
  const parts = [
    cardOf(owner, issued, now, { [noun]: secret }),
    `Keep the ${noun} now: it is not shown again.`,
  ]
  if (kind.use !== undefined) parts.push(await kind.use(store, secret))
  return { json, text: parts.join('\n\n') }
}

function documentOf(
  kind: CredentialCommandKind,
  owner: CredentialOwner,
  credential: Credential,
  now: number,
) {
  const fields: readonly string[] = kind.own.fields
  const document = Object.entries(credentialDocument(owner, credential, now))
  return Object.fromEntries(
    document.filter(([field]) => !(field in OWN_COLUMNS) || fields.includes(field)),
  )
}

function cardOf(
  owner: CredentialOwner,
  credential: Credential,
  now: number,
  more: Record<string, Cell> = {},
): string {
  const { scope, scenario, client, recipient, purpose, lacks_purpose, ...fields } =
    credentialDocument(owner, credential, now)
  const shown = scopeText(scope)
  const opened = {
    ...(shown !== null && { scope: shown }),
    ...(scenario !== null && { scenario }),
    ...(client !== null && { client }),
    ...(recipient !== null && { recipient }),
    ...(purpose !== null && { purpose }),
    ...(lacks_purpose && { lacks_purpose: String(lacks_purpose) }),
  }
  return card({ ...fields, ...opened, ...more })
}

function noSuch(
  { noun, name: plural, ofDeployment }: CredentialCommandKind,
  owner: number,
  credential: number,
): Error {
  if (ofDeployment !== undefined) {
    const { name } = ofDeployment
    return new Error(
      `the deployment has no ${noun} ${credential}; 'fleetgate ${name} list' shows those it has`,
    )
  }
  return notOwned({ singular: noun, plural }, owner, credential)
}

export function expiresOption(description: string, absent: string): Option {
  return option(
    '--expires <when>',
    `${description}, a date, a time or a duration such as 90d (default: ${absent})`,
  ).argParser((written) => ending(written, Date.now()))
}

export function credentialDocument(owner: CredentialOwner, credential: Credential, now: number) {
  const { id, name, prefix, last_four, requests_today, requests_30_days, ...others } =
    documentInApi(owner, credential)
  const organization = credential.organization === DEPLOYMENT ? null : credential.organization
  return { id, organization, name, prefix, last_four, state: stateOf(credential, now), ...others }
}
