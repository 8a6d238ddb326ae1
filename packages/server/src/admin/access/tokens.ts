import { newSecret, OPERATOR_TOKEN } from '../../access/secret.ts'
import {
  covers,
  issuedThrough,
  type OperatorCredential,
  type Reach,
} from '../../domain/operator.ts'
import { reachFault, type TokenSettings } from '../../domain/settings/access-settings.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { futureIn, refuse } from '../../operator/input.ts'
import { invalid, notFound, Refused, signedOut } from '../../operator/refused.ts'
import { ISSUED_TOKEN, NEW_TOKEN, TOKENS } from '../../operator/tokens.ts'
import type { Call } from '../admin-api.ts'
import { operations } from '../operation.ts'

export const TOKEN_OPERATIONS = operations('Sign-in', [
  {
    id: 'listTokens',
    method: 'GET',
    path: '/tokens',
    summary: 'List the tokens of programs',
    answers: TOKENS,
    run: async (call) => TOKENS.write({ items: await tokensShown(call) }),
  },
  {
    id: 'issueToken',
    method: 'POST',
    path: '/tokens',
    summary: 'Issue a token for a program, and show it only this once',
    takes: NEW_TOKEN,
    answers: ISSUED_TOKEN,
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
      return ISSUED_TOKEN.write({ token: issued, secret })
    },
  },
  {
    id: 'revokeToken',
    method: 'DELETE',
    path: '/tokens/{token}',
    summary: 'End a token at once, and all tokens that it issued',
    async run(call) {
      const shown = await tokensShown(call)
      const token = shown.find(({ id }) => id === call.params.token)
      const ended = token && (await call.store.operator.revoke('token', token.id))
      if (ended === undefined || ended.length === 0) throw notFound('token')
    },
  },
])

/** All tokens. A token for one organization sees only itself and those that it issued. */
async function tokensShown({ store, caller }: Call): Promise<OperatorCredential[]> {
  const { id, scope } = caller!.credential
  const tokens = await store.operator.list('token')
  return scope === 'organization' ? issuedThrough(tokens, id) : tokens
}

/** Missing settings are those of the issuer. */
function settingsIn(body: Call['body'], issuer: Reach): TokenSettings {
  const settings = NEW_TOKEN.in(body, { scope: issuer.scope })
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
