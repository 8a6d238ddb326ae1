import { newSecret, OPERATOR_TOKEN } from '../../access/secret.ts'
import type { AccessCredential } from '../../domain/access-credential.ts'
import { covers, type HeldRole } from '../../domain/role.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { futureIn } from '../../operator/input.ts'
import { notFound, Refused, refuseTooMany, signedOut } from '../../operator/refused.ts'
import { ISSUED_TOKEN, NEW_TOKEN, TOKENS, tokenDocument } from '../../operator/tokens.ts'
import { tokensOf } from '../../operator/ways-in.ts'
import type { Call, Caller } from '../admin-api.ts'
import { issuerOf } from './issuer.ts'
import { inBothPlaces, placeOf } from './two-places.ts'

export const TOKEN_OPERATIONS = inBothPlaces('Tokens', [
  {
    verb: 'list',
    noun: 'Tokens',
    method: 'GET',
    path: '/tokens',
    summary: 'List the tokens of programs',
    answers: TOKENS,
    run: async (call) => ({ items: (await tokensShown(call)).map(tokenDocument) }),
  },
  {
    verb: 'issue',
    noun: 'Token',
    method: 'POST',
    path: '/tokens',
    summary: 'Issue a token for a program, and show it only this once',
    takes: NEW_TOKEN,
    answers: ISSUED_TOKEN,
    async run(call) {
      const { store, caller, body, now } = call
      const { place, organization } = placeOf(call)
      const settings = { ...NEW_TOKEN[place].in(body), organization }
      const expiresAt = futureIn(body, now)
      refuseBeyond(caller!, settings, expiresAt)
      if (organization !== null) refuseTooMany((await tokensShown(call)).length, 'tokens')
      const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
      const token = { ...kept, ...settings, kind: 'token', expiresAt } as const
      const issued = await store.access.issue(token, issuerOf(call), now)
      if (issued === 'issuer_ended') throw signedOut()
      if (issued === 'no_organization') throw notFound('organization')
      return { token: tokenDocument(issued), secret }
    },
  },
  {
    verb: 'revoke',
    noun: 'Token',
    method: 'DELETE',
    path: '/tokens/{token}',
    summary: 'End a token at once, and all tokens that it issued',
    async run(call) {
      const isShown = (await tokensShown(call)).some(({ id }) => id === call.params.token)
      const ended = isShown ? await call.store.access.revoke('token', call.params.token!) : []
      if (ended.length === 0) throw notFound('token')
    },
  },
])

/** The tokens of the organization of a path, or all. */
function tokensShown(call: Call): Promise<AccessCredential[]> {
  return tokensOf(call.api.store, placeOf(call).organization)
}

/** A new token may do no more than its issuer. If that is a token too, the new one ends no later. */
function refuseBeyond(
  { roles, credential }: Caller,
  settings: HeldRole,
  expiresAt: number | null,
): void {
  if (!covers(roles, settings)) throw beyondIssuer('role', 'must not be more than you may do')
  const lasts = credential.kind === 'token' ? credential.expiresAt : null
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
