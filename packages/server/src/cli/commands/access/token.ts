import type { Command } from 'commander'
import { newSecret, OPERATOR_TOKEN } from '../../../access/secret.ts'
import type { AccessCredential } from '../../../domain/access-credential.ts'
import type { Role } from '../../../domain/role.ts'
import { CREDENTIAL_RULES, roleFault } from '../../../domain/settings/access-settings.ts'
import { refuse } from '../../../operator/input.ts'
import { tokenDocument, tokensOf } from '../../../operator/ways-in.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../../command.ts'
import { listing } from '../../terminal/listing.ts'
import { card } from '../../terminal/table.ts'
import { id } from '../../value.ts'
import { noSuch, noSuchOrganization } from '../owner.ts'
import { settingReader } from '../setting-options.ts'
import { expiresOption } from './credentials.ts'
import { roleOption, roleOrganizationOption } from './role-options.ts'

type IssueOptions = { name: string; role: Role; org?: number; expires?: number }

/** Tokens for programs that use the admin API. */
export function tokenCommands(): Command {
  return group('token', 'tokens with which programs use the admin API', [
    command('issue', 'issue a token, and show it only this once', [
      "token issue --role support --name 'Night report' --expires 90d",
      'token issue --role administrator --org 1',
    ])
      .addOption(roleOption())
      .addOption(roleOrganizationOption())
      .addOption(
        option('--name <name>', 'what it is for')
          .argParser(settingReader(CREDENTIAL_RULES.name))
          .default('default'),
      )
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
  refuse(roleFault({ role, organization }))
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
