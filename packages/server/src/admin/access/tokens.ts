import { newSecret, OPERATOR_TOKEN } from '../../access/secret.ts'
import {
  covers,
  issuedThrough,
  type OperatorCredential,
  type Reach,
} from '../../domain/operator.ts'
import {
  reachFault,
  TOKEN_RULES,
  type TokenSettings,
} from '../../domain/settings/access-settings.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { Call } from '../admin-api.ts'
import { futureIn, newSettingsIn, refuse } from '../body.ts'
import { instantOrNull } from '../encode.ts'
import { type AdminOperation, MANAGE, READ } from '../operation.ts'
import { invalid, notFound, Refused, signedOut } from '../refused.ts'

const TAG = 'Sign-in'

export const TOKEN_OPERATIONS: AdminOperation[] = [
  {
    id: 'listTokens',
    method: 'GET',
    path: '/tokens',
    scopes: READ,
    tag: TAG,
    summary: 'List the tokens of programs',
    status: 200,
    answers: 'tokens',
    run: async (call) => ({ items: (await tokensShown(call)).map(tokenDocument) }),
  },
  {
    id: 'issueToken',
    method: 'POST',
    path: '/tokens',
    scopes: MANAGE,
    tag: TAG,
    summary: 'Issue a token for a program, and show it only this once',
    takes: 'newToken',
    status: 201,
    answers: 'issuedToken',
    async run({ store, caller, body, now }) {
      const issuer = caller!.credential
      const settings = settingsIn(body, issuer)
      const expiresAt = futureIn(body, now)
      refuseBeyond(issuer, settings, expiresAt)
      const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
      const token = { ...kept, ...settings, kind: 'token', expiresAt } as const
      const issued = await store.operator.issue(token, issuer.id, now)
      if (issued === 'issuer_ended') throw signedOut()
      if (issued === 'no_organization') {
        throw invalid({ field: 'organization', rule: 'must be the id of an organization' })
      }
      return { token: tokenDocument(issued), secret }
    },
  },
  {
    id: 'revokeToken',
    method: 'DELETE',
    path: '/tokens/{token}',
    scopes: MANAGE,
    tag: TAG,
    summary: 'End a token at once, and all tokens that it issued',
    status: 204,
    answers: null,
    async run(call) {
      const shown = await tokensShown(call)
      const token = shown.find(({ id }) => id === call.params.token)
      const ended = token && (await call.store.operator.revoke('token', token.id))
      if (ended === undefined || ended.length === 0) throw notFound('token')
      return null
    },
  },
]

/** All tokens. A token for one organization sees only itself and those that it issued. */
async function tokensShown({ store, caller }: Call): Promise<OperatorCredential[]> {
  const { id, scope } = caller!.credential
  const tokens = await store.operator.list('token')
  return scope === 'organization' ? issuedThrough(tokens, id) : tokens
}

/** Missing settings are those of the issuer. */
function settingsIn(body: Call['body'], issuer: Reach): TokenSettings {
  const defaults = { scope: issuer.scope }
  const settings = newSettingsIn<TokenSettings>(TOKEN_RULES, body, defaults, ['expires_at'])
  if (settings.scope === 'organization') settings.organization ??= issuer.organization
  refuse(reachFault(settings))
  return settings
}

/** A token issues none that reaches farther or lasts longer than itself. */
function refuseBeyond(
  issuer: OperatorCredential,
  settings: TokenSettings,
  expiresAt: number | null,
): void {
  if (!covers(issuer, settings)) {
    const field = settings.scope === issuer.scope ? 'organization' : 'scope'
    throw beyondIssuer(field, `must be that of the token that issues it: ${issuer[field]}`)
  }
  const lasts = issuer.kind === 'token' ? issuer.expiresAt : null
  if (lasts !== null && (expiresAt ?? Number.POSITIVE_INFINITY) > lasts) {
    const end = formatInstant(lasts)
    throw beyondIssuer(
      'expires_at',
      `must be ${end} or earlier: the token that issues it ends then`,
    )
  }
}

function beyondIssuer(field: string, rule: string): Refused {
  return new Refused(403, 'beyond_issuer', `${field} ${rule}`, { field })
}

/** The form in the console and on the command line. */
export function tokenDocument(token: OperatorCredential) {
  return {
    id: token.id,
    name: token.name,
    scope: token.scope,
    organization: token.organization,
    issuer: token.issuer,
    prefix: token.prefix,
    last_four: token.lastFour,
    created_at: instantOrNull(token.createdAt),
    expires_at: instantOrNull(token.expiresAt),
    last_used_at: instantOrNull(token.lastUsedAt),
  }
}
