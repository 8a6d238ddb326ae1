import { type Account, isOperator, manages, mayReset } from '../../domain/account.ts'
import {
  changedPerson,
  deletePerson,
  hasOtherRoles,
  ISSUED_RESET,
  issueReset,
  ownAccount,
  PEOPLE,
  PERSON,
  PERSON_PATCH,
  personIn,
  unlinkPerson,
} from '../../operator/people.ts'
import { notFound, Refused } from '../../operator/refused.ts'
import type { Call } from '../admin-api.ts'
import { inBothPlaces, placeOf } from './two-places.ts'

/** The path of a person. */
export const PERSON_PATH = '/people/{person}'

/** People and their roles. What gives somebody a way in is for people, not for tokens. */
export const PEOPLE_OPERATIONS = inBothPlaces('People', [
  {
    verb: 'list',
    noun: 'People',
    method: 'GET',
    path: '/people',
    summary: 'List the people who may sign in, and their roles',
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
    path: PERSON_PATH,
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
    path: PERSON_PATH,
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
    path: `${PERSON_PATH}/sign-on`,
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
    path: `${PERSON_PATH}/reset`,
    summary: 'Make a link with which a person sets a new password; its use ends codes and sessions',
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
])

/**
 * The person of a path. An organization has only people with a role in it. Throws `Refused` for any other, unless
 * `takesAny`: an operator gives anybody a role.
 */
export async function personOf(call: Call, takesAny = false): Promise<Account> {
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
export function refuseUnmanaged({ caller }: Call, person: Account): void {
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
