import type { Command } from 'commander'
import { newSecret, OPERATOR_TOKEN } from '../../../access/secret.ts'
import type { OperatorCredential, TokenScope } from '../../../domain/operator.ts'
import { reachFault, TOKEN_RULES } from '../../../domain/settings/access-settings.ts'
import { refuse } from '../../../operator/input.ts'
import { TOKEN } from '../../../operator/tokens.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../../command.ts'
import { listing } from '../../terminal/listing.ts'
import { card } from '../../terminal/table.ts'
import { id } from '../../value.ts'
import { noSuchOrganization } from '../owner.ts'
import { settingReader } from '../setting-options.ts'
import { expiresOption } from './credentials.ts'

type IssueOptions = { name: string; scope: TokenScope; org?: number; expires?: number }

/** Tokens for programs that use the operator's API. */
export function operatorTokenCommands(): Command {
  return group('token', "tokens with which programs use the operator's API", [
    command('issue', 'issue a token, and show it only this once', [
      "operator token issue --scope read --name 'Night report' --expires 90d",
      'operator token issue --scope organization --org 1',
    ])
      .addOption(
        option(
          '--scope <scope>',
          'what it may do: read, organization (manage one), or all; required',
        )
          .argParser(settingReader(TOKEN_RULES.scope))
          .makeOptionMandatory(),
      )
      .addOption(
        option(
          '--org <id>',
          'the organization that it manages, with the scope organization',
        ).argParser(id),
      )
      .addOption(
        option('--name <name>', 'what it is for')
          .argParser(settingReader(TOKEN_RULES.name))
          .default('default'),
      )
      .addOption(expiresOption('when it expires', 'never'))
      .action(onStore(issue)),
    command('list', 'list the tokens, never the tokens themselves', ['operator token list']).action(
      onStore(list),
    ),
    command('revoke', 'end a token at once, and all that it issued', ['operator token revoke 3'])
      .argument('<tokenid>', 'its id', id)
      .action(onStore(revoke)),
  ])
}

async function issue(store: Store, options: IssueOptions): Promise<CommandResult> {
  const { name, scope, org: organization = null, expires: expiresAt = null } = options
  refuse(reachFault({ scope, organization }))
  const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
  const token = { ...kept, kind: 'token', name, scope, organization, expiresAt } as const
  const issued = await store.operator.issue(token, null, Date.now())
  if (typeof issued === 'string') throw noSuchOrganization(organization!)
  const json = { ...TOKEN.write(issued), token: secret }
  return { json, text: `${card(json)}\n\nKeep the token now: it is not shown again.` }
}

async function list(store: Store): Promise<CommandResult> {
  return tokensAnswer(await store.operator.list('token'))
}

async function revoke(store: Store, _: object, token: number): Promise<CommandResult> {
  const ended = await store.operator.revoke('token', token)
  if (ended.length > 0) return tokensAnswer(ended)
  throw new Error(
    `there is no operator token ${token}; 'fleetgate operator token list' shows those there are`,
  )
}

function tokensAnswer(tokens: readonly OperatorCredential[]): CommandResult {
  return listing(tokens.map(TOKEN.write), [
    'id',
    'name',
    ['TOKEN', ({ prefix, last_four }) => `${prefix}…${last_four}`],
    'scope',
    ['ORG', 'organization'],
    'issuer',
    'expires_at',
    'last_used_at',
  ])
}
