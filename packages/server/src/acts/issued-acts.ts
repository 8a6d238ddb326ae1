import { newSecret, OPERATOR_TOKEN } from '../base/access/secret.ts'
import { type AccessCredential, covers, type HeldRole } from '../base/domain/account.ts'
import { formatInstant } from '../base/domain/time/time.ts'
import type { ActCall, Actor } from './act.ts'
import { futureIn } from './input.ts'
import {
  INVITATIONS,
  ISSUED_INVITATION,
  invitationDocument,
  invite,
  NEW_INVITATION,
} from './people-bodies.ts'
import { notFound, Refused, refuseTooMany, signedOut } from './refused.ts'
import { inBothPlaces, placeOf } from './two-places.ts'
import {
  ISSUED_TOKEN,
  NEW_TOKEN,
  openInvitations,
  TOKENS,
  tokenDocument,
  tokensOf,
} from './ways-in.ts'

export const TOKEN_ACTS = inBothPlaces('Tokens', {
  list: {
    verb: 'list',
    noun: 'Tokens',
    method: 'GET',
    path: '/tokens',
    summary: 'List the tokens of programs',
    answers: TOKENS,
    run: async (call) => ({ items: (await tokensShown(call)).map(tokenDocument) }),
  },
  issue: {
    verb: 'issue',
    noun: 'Token',
    method: 'POST',
    path: '/tokens',
    summary: 'Issue a token for a program, and show it once',
    takes: NEW_TOKEN,
    answers: ISSUED_TOKEN,
    async run(call) {
      const { store, by, body, now } = call
      const { place, organization } = placeOf(call)
      const settings = { ...NEW_TOKEN[place].in(body), organization }
      const expiresAt = futureIn(body, now)
      refuseBeyond(by, settings, expiresAt)
      if (organization !== null) refuseTooMany((await tokensShown(call)).length, 'tokens')
      const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
      const token = { ...kept, ...settings, kind: 'token', expiresAt } as const
      const issued = await store.access.issue(token, call.by.issuer, now)
      if (issued === 'issuer_ended') throw signedOut()
      if (issued === 'no_organization') throw notFound('organization')
      return { token: tokenDocument(issued), secret }
    },
  },
  revoke: {
    verb: 'revoke',
    noun: 'Token',
    method: 'DELETE',
    path: '/tokens/{token}',
    summary: 'Revoke a token and all tokens that it issued',
    async run(call) {
      const isShown = (await tokensShown(call)).some(({ id }) => id === call.params.token)
      const ended = isShown ? await call.store.access.revoke('token', call.params.token!) : []
      if (ended.length === 0) throw notFound('token')
      return { items: ended.map(tokenDocument) }
    },
  },
})

export const INVITATION_ACTS = inBothPlaces('People', {
  list: {
    verb: 'list',
    noun: 'Invitations',
    method: 'GET',
    path: '/invitations',
    summary: 'Invitations that nobody has accepted yet',
    answers: INVITATIONS,
    run: async (call) => ({ items: (await invitationsOf(call)).map(invitationDocument) }),
  },
  issue: {
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
      const issued = await invite(call.store, settings, call.by.issuer, call.now)
      if (issued === 'issuer_ended') throw signedOut()
      if (issued === 'no_organization') throw notFound('organization')
      const { account: issuedBy } = call.by
      const found = { credential: issued.invitation, account: null, issuedBy }
      return { invitation: invitationDocument(found), secret: issued.secret }
    },
  },
  revoke: {
    verb: 'revoke',
    noun: 'Invitation',
    method: 'DELETE',
    path: '/invitations/{invitation}',
    summary: 'Revoke an invitation',
    isForPeople: true,
    async run(call) {
      const { invitation } = call.params
      const shown = (await invitationsOf(call)).find(({ credential: { id } }) => id === invitation)
      const ended = shown ? await call.store.access.revoke('invitation', invitation!) : []
      if (shown === undefined || ended.length === 0) throw notFound('invitation')
      return invitationDocument(shown)
    },
  },
})

/** Those of the deployment are all of them. */
function invitationsOf(call: ActCall) {
  return openInvitations(call.store, placeOf(call).organization, call.now)
}

/** The tokens of the organization of a path, or all. */
function tokensShown(call: ActCall): Promise<AccessCredential[]> {
  return tokensOf(call.store, placeOf(call).organization)
}

/** A new token may do no more than its issuer. If that is a token too, the new one ends no later. */
function refuseBeyond(
  { roles, endsAt }: Actor,
  settings: HeldRole,
  expiresAt: number | null,
): void {
  if (!covers(roles, settings)) throw beyondIssuer('role', 'must not grant more than your own role')
  if (endsAt !== null && (expiresAt ?? Number.POSITIVE_INFINITY) > endsAt) {
    const end = formatInstant(endsAt)
    throw beyondIssuer('expires_at', `must be ${end} or earlier, when the issuing token expires`)
  }
}

function beyondIssuer(field: string, rule: string): Refused {
  return new Refused(403, 'beyond_issuer', `${field} ${rule}`, { field })
}
