import { type ActCall, acts, reachOf, SUPPORTERS } from './act.ts'
import * as doc from './document-schema.ts'
import { PERSON_PATH, personOf, refuseUnmanaged } from './people-acts.ts'
import { existing } from './refused.ts'
import { inBothPlaces } from './two-places.ts'
import { endSession, openSessions, SESSION } from './ways-in.ts'

const SHOWN = doc.record(
  { ...SESSION, is_own: doc.yes('Whether it is the session of this request.') },
  'A browser in which a person has signed in.',
  'OpenSession',
)
const SESSIONS = doc.items(SHOWN, 'The open sessions, by id.', 'OpenSessions')

export const OWN_SESSION_ACTS = acts('Own account', {
  listOwnSessions: {
    method: 'GET',
    path: '/account/sessions',
    who: 'people',
    summary: 'List your sessions',
    answers: SESSIONS,
    run: async (call) => sessionsOf(call, call.by.account!.id),
  },
  endOwnSession: {
    method: 'DELETE',
    path: '/account/sessions/{session}',
    who: 'people',
    summary: 'Sign out one of your sessions',
    async run(call) {
      await endSessionOf(call, call.by.account!.id)
    },
  },
})

export const PEOPLE_SESSION_ACTS = inBothPlaces('People', {
  list: {
    verb: 'list',
    noun: 'Sessions',
    method: 'GET',
    path: `${PERSON_PATH}/sessions`,
    summary: 'The open sessions of a person',
    answers: SESSIONS,
    async run(call) {
      const person = await personOf(call)
      // A reader of the whole deployment may read the sessions of everybody there.
      if (reachOf(call.by, SUPPORTERS) !== null) refuseUnmanaged(call, person)
      return sessionsOf(call, person.id)
    },
  },
  endAll: {
    verb: 'end',
    noun: 'Sessions',
    method: 'DELETE',
    path: `${PERSON_PATH}/sessions`,
    summary: 'End all sessions of a person, except the session of this request',
    isForPeople: true,
    async run(call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      await call.store.access.endSessions(person.id, call.by.session?.id ?? null)
    },
  },
  end: {
    verb: 'end',
    noun: 'Session',
    method: 'DELETE',
    path: `${PERSON_PATH}/sessions/{session}`,
    summary: 'End a session of a person',
    isForPeople: true,
    async run(call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      await endSessionOf(call, person.id)
    },
  },
})

/** The open sessions of an account. */
async function sessionsOf({ store, by, now }: ActCall, account: number) {
  const open = await openSessions(store, account, now)
  const items = open.map((each) => ({ ...each, isOwn: each.id === by.session?.id }))
  return SESSIONS.write({ items })
}

/** Ends the session of the path, which must be open and of this account. Throws `Refused`. */
async function endSessionOf({ store, params, now }: ActCall, account: number): Promise<void> {
  existing(await endSession(store, account, params.session!, now), 'session')
}
