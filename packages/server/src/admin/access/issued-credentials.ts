import { newSecret, OPERATOR_TOKEN } from '../../access/secret.ts'
import { type AccessCredential, covers, type HeldRole } from '../../domain/account.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { futureIn } from '../../operator/input.ts'
import {
  INVITATIONS,
  ISSUED_INVITATION,
  invitationDocument,
  invite,
  NEW_INVITATION,
} from '../../operator/people.ts'
import { notFound, Refused, refuseTooMany, signedOut } from '../../operator/refused.ts'
import {
  ISSUED_TOKEN,
  NEW_TOKEN,
  openInvitations,
  TOKENS,
  tokenDocument,
  tokensOf,
} from '../../operator/ways-in.ts'
import type { Issuer } from '../../store/access-store.ts'
import type { Call, Caller } from '../admin-api.ts'
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
    summary: 'Issue a token for a program, and show it once',
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

export const INVITATION_OPERATIONS = inBothPlaces('People', [
  {
    verb: 'list',
    noun: 'Invitations',
    method: 'GET',
    path: '/invitations',
    summary: 'Invitations that nobody has accepted yet',
    answers: INVITATIONS,
    run: async (call) => ({ items: (await invitationsOf(call)).map(invitationDocument) }),
  },
  {
    verb: 'issue',
    noun: 'Invitation',
    method: 'POST',
    path: '/invitations',
    summary: 'Invite somebody, and show the link once; no e-mail is sent',
    isForPeople: true,
    takes: NEW_INVITATION,
    answers: ISSUED_INVITATION,
    async run(call) {
      const { place, organization } = placeOf(call)
      const settings = { ...NEW_INVITATION[place].in(call.body), organization }
      const issued = await invite(call.store, settings, issuerOf(call), call.now)
      if (issued === 'issuer_ended') throw signedOut()
      if (issued === 'no_organization') throw notFound('organization')
      const { account: issuedBy } = call.caller!
      const found = { credential: issued.invitation, account: null, issuedBy }
      return { invitation: invitationDocument(found), secret: issued.secret }
    },
  },
  {
    verb: 'revoke',
    noun: 'Invitation',
    method: 'DELETE',
    path: '/invitations/{invitation}',
    summary: 'End an invitation at once',
    isForPeople: true,
    async run(call) {
      const { invitation } = call.params
      const shown = (await invitationsOf(call)).some(({ credential: { id } }) => id === invitation)
      const ended = shown ? await call.store.access.revoke('invitation', invitation!) : []
      if (ended.length === 0) throw notFound('invitation')
    },
  },
])

/** Those of the deployment are all of them. */
function invitationsOf(call: Call) {
  return openInvitations(call.api.store, placeOf(call).organization, call.now)
}

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

/** The caller as the issuer of a credential: a person, or a token with the person who issued it. */
export function issuerOf({ caller }: Call): Issuer {
  const { credential, account } = caller!
  if (account !== null) return { account: account.id, token: null }
  return { account: credential.issuedBy, token: credential.id }
}
