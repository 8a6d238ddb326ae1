import { newSecret, OPERATOR_TOKEN } from '../access/secret.ts'
import type { OperatorCredential } from '../domain/operator.ts'
import { ORGANIZATION_RULES } from '../domain/organization-settings.ts'
import type { Rules } from '../domain/rule.ts'
import { instantIn, newSettingsIn } from './body.ts'
import { instantOrNull } from './encode.ts'
import type { AdminOperation } from './operation.ts'
import { invalid, notFound } from './refused.ts'

const TAG = 'Coming in'
/** What a key or a token is for. */
export const NAME: Rules<{ name: string }> = { name: ORGANIZATION_RULES.name }

export const TOKEN_OPERATIONS: AdminOperation[] = [
  {
    id: 'listTokens',
    method: 'GET',
    path: '/tokens',
    tag: TAG,
    summary: 'List the tokens of programs',
    status: 200,
    answers: 'tokens',
    run: async ({ store }) => ({ items: (await store.operator.list('token')).map(documentOf) }),
  },
  {
    id: 'issueToken',
    method: 'POST',
    path: '/tokens',
    tag: TAG,
    summary: 'Issue a token for a program, and show it this once',
    takes: 'newToken',
    status: 201,
    answers: 'issuedToken',
    async run({ store, body, now }) {
      const { name } = newSettingsIn(NAME, body, {}, ['expires_at'])
      const expiresAt = futureIn(body, now)
      const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
      const token = await store.operator.issue({ ...kept, kind: 'token', name, expiresAt }, now)
      return { token: documentOf(token), secret }
    },
  },
  {
    id: 'revokeToken',
    method: 'DELETE',
    path: '/tokens/{token}',
    tag: TAG,
    summary: 'End a token at once',
    status: 204,
    answers: null,
    async run({ store, params }) {
      if (!(await store.operator.revoke('token', params.token!))) throw notFound('token')
      return null
    },
  },
]

/** When something ends: later than now, or null. */
export function futureIn(body: Readonly<Record<string, unknown>>, now: number): number | null {
  const expiresAt = instantIn(body, 'expires_at')
  if (expiresAt !== null && expiresAt <= now) {
    throw invalid({ field: 'expires_at', rule: 'must lie ahead' })
  }
  return expiresAt
}

function documentOf(token: OperatorCredential) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    last_four: token.lastFour,
    created_at: instantOrNull(token.createdAt),
    expires_at: instantOrNull(token.expiresAt),
    last_used_at: instantOrNull(token.lastUsedAt),
  }
}
