import { type Account, isOperator, manages, mayReset } from '../base/domain/account.ts'
import type { ActCall } from './act.ts'
import {
  changedPerson,
  hasOtherRoles,
  ISSUED_RESET,
  issueReset,
  ownAccount,
  PEOPLE,
  PERSON,
  PERSON_PATCH,
  personIn,
} from './people-bodies.ts'
import { conflict, notFound, Refused } from './refused.ts'
import { inBothPlaces, placeOf } from './two-places.ts'

/** The path of a person. */
export const PERSON_PATH = '/people/{person}'

/** People and their roles. What gives somebody a way in is for people, not for tokens. */
export const PEOPLE_ACTS = inBothPlaces('People', {
  list: {
    verb: 'list',
    noun: 'People',
    method: 'GET',
    path: '/people',
    summary: 'List the people who may sign in, and their roles',
    answers: PEOPLE,
    async run(call) {
      const { organization } = placeOf(call)
      const all = await call.store.accounts.list()
      const shown = all.filter((each) => organization === null || hasRoleIn(each, organization))
      return { items: shown.map((each) => personIn(each, organization)) }
    },
  },
  update: {
    verb: 'update',
    noun: 'Person',
    method: 'PATCH',
    path: PERSON_PATH,
    summary: 'Change the role or the name of a person, or disable or enable the person',
    isForPeople: true,
    takes: PERSON_PATCH,
    answers: PERSON,
    async run(call) {
      const { place, organization } = placeOf(call)
      const { id } = await personOf(call, isOperator(call.by.roles))
      const { role, ...rest } = PERSON_PATCH[place].in(call.body)
      const patch = { ...rest, ...(role !== undefined && { role: { role, organization } }) }
      const by = call.by.issuer.account
      const after = changedPerson(await call.store.accounts.update(id, patch, by, call.now))
      return personIn(after, organization)
    },
  },
  delete: {
    verb: 'delete',
    noun: 'Person',
    method: 'DELETE',
    path: PERSON_PATH,
    summary:
      'Delete a person, whose sessions end, as do the tokens and invitations that the person issued',
    isForPeople: true,
    mayConflict: true,
    async run(call) {
      const { id } = await personOf(call)
      const by = call.by.issuer.account
      // A slip would end the session in which it is made.
      if (id === by)
        throw ownAccount('you cannot delete your own account; ask another person who manages it')
      return personIn(changedPerson(await call.store.accounts.delete(id, by)), null)
    },
  },
  unlink: {
    verb: 'unlink',
    noun: 'Person',
    method: 'DELETE',
    path: `${PERSON_PATH}/sign-on`,
    summary:
      'End the single sign-on of a person, with the sessions that it opened and the roles that it gave',
    isForPeople: true,
    mayConflict: true,
    async run(call) {
      const { id } = await personOf(call)
      const unlinked = await call.store.accounts.unlink(id, call.by.issuer.account)
      if (unlinked === 'not_linked') throw conflict('this person is not linked to single sign-on')
      return personIn(changedPerson(unlinked), null)
    },
  },
  reset: {
    verb: 'reset',
    noun: 'Person',
    method: 'POST',
    path: `${PERSON_PATH}/reset`,
    summary:
      'Create a link to set a new password; using it turns off two-factor authentication and ends all sessions',
    isForPeople: true,
    answers: ISSUED_RESET,
    async run(call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      const by = call.by.issuer.account
      // A session alone must not be enough to replace the password and the codes of its person.
      if (person.id === by) {
        throw ownAccount(
          'change your own password in your account instead; it requires the current one',
        )
      }
      if (!mayReset(call.by.roles, person)) throw comesBySignOn()
      const issued = await issueReset(call.store, person.id, by, call.now)
      if (issued === null) throw hasOtherRoles()
      return ISSUED_RESET.write(issued)
    },
  },
})

/**
 * The person of a path. An organization has only people with a role in it. Throws `Refused` for any other, unless
 * `takesAny`: an operator gives anybody a role.
 */
export async function personOf(call: ActCall, takesAny = false): Promise<Account> {
  const { organization } = placeOf(call)
  const found = await call.store.accounts.find(call.params.person!)
  const isKnown =
    found !== null && (organization === null || takesAny || hasRoleIn(found, organization))
  if (!isKnown) throw notFound('person')
  return found
}

function hasRoleIn({ roles }: Account, organization: number): boolean {
  return roles.some((each) => each.organization === organization)
}

/** Throws `Refused` if the caller may not decide about all that this person can reach. */
export function refuseUnmanaged({ by }: ActCall, person: Account): void {
  if (person.id !== by.account?.id && !manages(by.roles, person.roles)) {
    throw hasOtherRoles()
  }
}

function comesBySignOn(): Refused {
  return new Refused(
    403,
    'is_linked',
    'this person signs in with single sign-on, so only an operator can create a password link',
  )
}
