import type { Command } from 'commander'
import { DEPLOYMENT_TOKEN_ACTS, FEED_TOKEN_ACTS } from '../../acts/credential-acts.ts'
import { writtenInstant } from '../../acts/document-schema.ts'
import { TOKEN_ACTS } from '../../acts/issued-acts.ts'
import type { TOKENS } from '../../acts/ways-in.ts'
import { FEED_TOKEN_RULES } from '../../base/domain/access-settings.ts'
import type { Role } from '../../base/domain/account.ts'
import { FEED_CLIENTS, traccarForward } from '../../base/domain/credential.ts'
import { helpOf } from '../../base/domain/setting-rule.ts'
import type { Store } from '../../engine/store/store.ts'
import { actCommand } from '../act-command.ts'
import { type CommandResult, group, option } from '../command.ts'
import { refuseMisplacedRole, roleOption, roleOrganizationOption } from '../options.ts'
import { feedAt, isOfThisMachine } from '../serve/listener-addresses.ts'
import { card, listing } from '../terminal.ts'
import { credentialCommands, expiresOption, nameOption } from './credential-commands.ts'

/** Tokens for programs that use the admin API. */
export function tokenCommands(description: string): Command {
  const { deployment, organization } = TOKEN_ACTS
  return group('token', description, [
    actCommand(
      { deployment: deployment.issue, organization: organization.issue },
      {
        name: 'issue',
        examples: [
          "token issue --role support --name 'Fleet monitor' --expires 90d",
          'token issue --role administrator --org 1',
        ],
        options: (to) =>
          to
            .addOption(roleOption())
            .addOption(roleOrganizationOption())
            .addOption(nameOption('what it is for'))
            .addOption(expiresOption('when it expires', 'never')),
        body({ name, role, org, expires }) {
          refuseMisplacedRole(role as Role, org)
          return { name, role, expires_at: writtenInstant((expires as number | undefined) ?? null) }
        },
        show({ token, secret }) {
          const json = { ...token, token: secret }
          return { json, text: `${card(json)}\n\nSave the token now: it will not be shown again.` }
        },
      },
    ),
    actCommand(deployment.list, { name: 'list', examples: ['token list'], show: tokensAnswer }),
    actCommand(deployment.revoke, {
      name: 'revoke',
      examples: ['token revoke 3'],
      numbers: { token: { as: 'tokenid' } },
      show: tokensAnswer,
    }),
  ])
}

function tokensAnswer({ items }: ReturnType<typeof TOKENS.write>): CommandResult {
  return listing(items, [
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

  A phone with Overland: its receiver endpoint
    ${origin}/feed/v1/${token}/overland

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
