import type { Command } from 'commander'
import { newSecret, OPERATOR_TOKEN } from '../../access/secret.ts'
import { FEED_TOKEN_RULES } from '../../domain/access-settings.ts'
import type { AccessCredential, Role } from '../../domain/account.ts'
import { FEED_CLIENTS, traccarForward } from '../../domain/credential.ts'
import { helpOf } from '../../domain/setting-rule.ts'
import { DEPLOYMENT_TOKEN_ACTS, FEED_TOKEN_ACTS } from '../../operator/credential-acts.ts'
import { tokenDocument, tokensOf } from '../../operator/ways-in.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import {
  id,
  noSuch,
  noSuchOrganization,
  refuseMisplacedRole,
  roleOption,
  roleOrganizationOption,
} from '../options.ts'
import { feedAt, isOfThisMachine } from '../serve/addresses.ts'
import { card, listing } from '../terminal.ts'
import { credentialCommands, expiresOption, nameOption } from './credentials.ts'

type IssueOptions = { name: string; role: Role; org?: number; expires?: number }

/** Tokens for programs that use the admin API. */
export function tokenCommands(description: string): Command {
  return group('token', description, [
    command('issue', 'issue a token, and show it once', [
      "token issue --role support --name 'Fleet monitor' --expires 90d",
      'token issue --role administrator --org 1',
    ])
      .addOption(roleOption())
      .addOption(roleOrganizationOption())
      .addOption(nameOption('what it is for'))
      .addOption(expiresOption('when it expires', 'never'))
      .action(onStore(issue)),
    command('list', 'list the tokens, without their secrets', ['token list']).action(onStore(list)),
    command('revoke', 'end a token at once, and the tokens that it issued', ['token revoke 3'])
      .argument('<tokenid>', 'its id', id)
      .action(onStore(revoke)),
  ])
}

async function issue({ access }: Store, options: IssueOptions): Promise<CommandResult> {
  const { name, role, org: organization = null, expires: expiresAt = null } = options
  refuseMisplacedRole({ role, organization })
  const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
  const token = { ...kept, kind: 'token', name, role, organization, expiresAt } as const
  const issued = await access.issue(token, { account: null, token: null }, Date.now())
  if (typeof issued === 'string') throw noSuchOrganization(organization!)
  const json = { ...tokenDocument(issued), token: secret }
  return { json, text: `${card(json)}\n\nKeep the token now: it is not shown again.` }
}

async function list(store: Store): Promise<CommandResult> {
  return tokensAnswer(await tokensOf(store, null))
}

async function revoke({ access }: Store, _: object, token: number): Promise<CommandResult> {
  const ended = await access.revoke('token', token)
  if (ended.length > 0) return tokensAnswer(ended)
  throw noSuch('token', token, 'token list')
}

function tokensAnswer(tokens: readonly AccessCredential[]): CommandResult {
  return listing(tokens.map(tokenDocument), [
    'id',
    'name',
    ['TOKEN', ({ prefix, last_four }) => `${prefix}…${last_four}`],
    'role',
    ['ORG', 'organization'],
    'issued_by',
    'issuer',
    'expires_at',
    'last_used_at',
  ])
}

const KIND = {
  noun: 'token',
  own: {
    options: (to: Command) =>
      to.addOption(option('--client <app>', helpOf(FEED_TOKEN_RULES.client)).choices(FEED_CLIENTS)),
    body: ({ client }: Readonly<Record<string, unknown>>) => ({ client }),
    fields: ['client'],
  },
} as const

export function feedTokenCommands(description: string): Command {
  return credentialCommands({
    ...KIND,
    acts: FEED_TOKEN_ACTS,
    name: 'feed-token',
    description,
    exampleName: 'Trackers',
    use,
  })
}

/** Tokens with which one server sends the positions of several organizations. */
export function deploymentTokenCommands(): Command {
  return credentialCommands({
    ...KIND,
    acts: DEPLOYMENT_TOKEN_ACTS,
    name: 'token',
    within: 'routing ',
    description: 'feed tokens of the deployment: one server sends for several organizations',
    exampleName: 'Traccar',
    use: async (store, token) => {
      const origin = await feedAt(store)
      return `${introduction(origin)}\n\n${traccarUse(origin, token)}`
    },
  })
}

/** Lines to copy, one for each kind of sender. */
async function use(store: Store, token: string): Promise<string> {
  const origin = await feedAt(store)
  const row = JSON.stringify([
    { ident: 'van-12', time_device: '2026-11-20T10:00:00Z', latitude: 41.01, longitude: 28.97 },
  ])
  return `${introduction(origin)}

  A program
    curl -H 'x-feed-token: ${token}' --json '${row}' ${origin}/feed/v1/positions

  A phone with Traccar Client, or a tracker that speaks OsmAnd: its server URL
    ${origin}/feed/v1/${token}/osmand

${traccarUse(origin, token)}`
}

function introduction(origin: string): string {
  return isOfThisMachine(origin)
    ? `Send positions with it. Replace ${origin} with the address of your feed:`
    : 'Send positions with it:'
}

function traccarUse(origin: string, token: string): string {
  const lines = traccarForward(origin, token).map((line) => `    ${line}`)
  return ['  A Traccar server: in its traccar.xml', ...lines].join('\n')
}
