import { type Account, mayReset } from '../../domain/account.ts'
import { isOperator, manages } from '../../domain/role.ts'
import {
  changedPerson,
  deletePerson,
  hasOtherRoles,
  INVITATIONS,
  ISSUED_INVITATION,
  ISSUED_RESET,
  invitationDocument,
  invite,
  issueReset,
  NEW_INVITATION,
  ownAccount,
  PEOPLE,
  PERSON,
  PERSON_PATCH,
  personIn,
  unlinkPerson,
} from '../../operator/people.ts'
import { notFound, Refused, signedOut } from '../../operator/refused.ts'
import { openInvitations } from '../../operator/ways-in.ts'
import type { Call } from '../admin-api.ts'
import { issuerOf } from './issuer.ts'
import { endSessionOf, SESSIONS, sessionsOf } from './sessions.ts'
import { inBothPlaces, placeOf } from './two-places.ts'

const ONE = '/people/{person}'

/** People, their roles, and their sessions. What gives somebody a way in is for people, not for tokens. */
export const PEOPLE_OPERATIONS = inBothPlaces('People', [
  {
    verb: 'list',
    noun: 'People',
    method: 'GET',
    path: '/people',
    summary: 'Who may sign in, and what they may do',
    answers: PEOPLE,
    async run(call) {
      const { organization } = placeOf(call)
      const all = await call.api.store.accounts.list()
      const shown = all.filter((each) => organization === null || hasRoleIn(each, organization))
      return { items: shown.map((each) => personIn(each, organization)) }
    },
  },
  {
    verb: 'update',
    noun: 'Person',
    method: 'PATCH',
    path: ONE,
    summary: 'Change the role or the name of a person, or disable or enable the person',
    isForPeople: true,
    takes: PERSON_PATCH,
    answers: PERSON,
    async run(call) {
      const { place, organization } = placeOf(call)
      const { id } = await personOf(call, isOperator(call.caller!.roles))
      const { role, ...rest } = PERSON_PATCH[place].in(call.body)
      const patch = { ...rest, ...(role !== undefined && { role: { role, organization } }) }
      const by = call.caller!.account!.id
      const after = changedPerson(await call.store.accounts.update(id, patch, by, call.now))
      return personIn(after, organization)
    },
  },
  {
    verb: 'delete',
    noun: 'Person',
    method: 'DELETE',
    path: ONE,
    summary:
      'Delete a person, whose sessions end, as do the tokens and invitations that the person issued',
    isForPeople: true,
    mayConflict: true,
    async run(call) {
      const { id } = await personOf(call)
      await deletePerson(call.store, id, call.caller!.account!.id)
    },
  },
  {
    verb: 'unlink',
    noun: 'Person',
    method: 'DELETE',
    path: `${ONE}/sign-on`,
    summary:
      'End the single sign-on of a person, with the sessions that it opened and the roles that it gave',
    isForPeople: true,
    mayConflict: true,
    async run(call) {
      const { id } = await personOf(call)
      await unlinkPerson(call.store, id, call.caller!.account!.id)
    },
  },
  {
    verb: 'reset',
    noun: 'Person',
    method: 'POST',
    path: `${ONE}/reset`,
    summary: 'Make a link by which a person sets another password; it also ends codes and sessions',
    isForPeople: true,
    answers: ISSUED_RESET,
    async run(call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      const by = call.caller!.account!.id
      // A session alone must not be enough to replace the password and the codes of its person.
      if (person.id === by) {
        throw ownAccount(
          'change the password of your own account instead, which takes the present one',
        )
      }
      if (!mayReset(call.caller!.roles, person)) throw comesBySignOn()
      const issued = await issueReset(call.store, person.id, by, call.now)
      if (issued === null) throw hasOtherRoles()
      return ISSUED_RESET.write(issued)
    },
  },
  {
    verb: 'list',
    noun: 'Sessions',
    method: 'GET',
    path: `${ONE}/sessions`,
    summary: 'The open sessions of a person',
    answers: SESSIONS,
    async run(call) {
      const person = await personOf(call)
      if (placeOf(call).place === 'organization') refuseUnmanaged(call, person)
      return sessionsOf(call, person.id)
    },
  },
  {
    verb: 'end',
    noun: 'Sessions',
    method: 'DELETE',
    path: `${ONE}/sessions`,
    summary: 'End all sessions of a person, except the own one',
    isForPeople: true,
    async run(call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      await call.store.access.endSessions(person.id, call.caller!.credential.id)
    },
  },
  {
    verb: 'end',
    noun: 'Session',
    method: 'DELETE',
    path: `${ONE}/sessions/{session}`,
    summary: 'End a session of a person',
    isForPeople: true,
    async run(call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      await endSessionOf(call, person.id)
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
    summary: 'Invite somebody, and show the link only this once; no e-mail is sent',
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

/**
 * The person of a path. An organization has only people with a role in it. Throws `Refused` for any other, unless
 * `takesAny`: an operator gives anybody a role.
 */
async function personOf(call: Call, takesAny = false): Promise<Account> {
  const { organization } = placeOf(call)
  const found = await call.api.store.accounts.find(call.params.person!)
  const isKnown =
    found !== null && (organization === null || takesAny || hasRoleIn(found, organization))
  if (!isKnown) throw notFound('person')
  return found
}

function hasRoleIn({ roles }: Account, organization: number): boolean {
  return roles.some((each) => each.organization === organization)
}

/** Throws `Refused` if the caller may not decide about all that this person can reach. */
function refuseUnmanaged({ caller }: Call, person: Account): void {
  if (person.id !== caller!.account?.id && !manages(caller!.roles, person.roles)) {
    throw hasOtherRoles()
  }
}

function comesBySignOn(): Refused {
  return new Refused(
    403,
    'is_linked',
    'this person comes by single sign-on, so only an operator may make a link for a password',
  )
}
