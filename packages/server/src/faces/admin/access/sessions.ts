import { SUPPORTERS } from '../../../acts/act.ts'
import { PERSON_PATH, personOf, refuseUnmanaged } from '../../../acts/people-acts.ts'
import { notFound } from '../../../acts/refused.ts'
import * as doc from '../../../acts/schema.ts'
import { inBothPlaces } from '../../../acts/two-places.ts'
import { endSession, openSessions, SESSION } from '../../../acts/ways-in.ts'
import { type Call, operations } from '../admin-api.ts'
import { reachOf } from './admit.ts'

const SHOWN = doc.record(
  { ...SESSION, is_own: doc.yes('Whether it is the session of this request.') },
  'A browser in which a person has signed in.',
  'OpenSession',
)
const SESSIONS = doc.items(SHOWN, 'The open sessions, by id.', 'OpenSessions')

export const OWN_SESSION_OPERATIONS = operations('Own account', [
  {
    id: 'listOwnSessions',
    method: 'GET',
    path: '/account/sessions',
    who: 'people',
    summary: 'List your sessions',
    answers: SESSIONS,
    run: async (call) => sessionsOf(call, call.caller!.account!.id),
  },
  {
    id: 'endOwnSession',
    method: 'DELETE',
    path: '/account/sessions/{session}',
    who: 'people',
    summary: 'End one of your sessions',
    async run(call) {
      await endSessionOf(call, call.caller!.account!.id)
    },
  },
])

export const PEOPLE_SESSION_ACTS = inBothPlaces('People', {
  list: {
    verb: 'list',
    noun: 'Sessions',
    method: 'GET',
    path: `${PERSON_PATH}/sessions`,
    summary: 'The open sessions of a person',
    answers: SESSIONS,
    async run(call: Call) {
      const person = await personOf(call)
      // A reader of the whole deployment may read the sessions of everybody there.
      if (reachOf(call.caller!, SUPPORTERS) !== null) refuseUnmanaged(call, person)
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
    async run(call: Call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      await call.store.access.endSessions(person.id, call.caller!.credential.id)
    },
  },
  end: {
    verb: 'end',
    noun: 'Session',
    method: 'DELETE',
    path: `${PERSON_PATH}/sessions/{session}`,
    summary: 'End a session of a person',
    isForPeople: true,
    async run(call: Call) {
      const person = await personOf(call)
      refuseUnmanaged(call, person)
      await endSessionOf(call, person.id)
    },
  },
})

/** The open sessions of an account. */
async function sessionsOf({ api, caller, now }: Call, account: number) {
  const open = await openSessions(api.store, account, now)
  const items = open.map((each) => ({ ...each, isOwn: each.id === caller!.credential.id }))
  return SESSIONS.write({ items })
}

/** Ends the session of the path, which must be open and of this account. Throws `Refused`. */
async function endSessionOf({ store, params, now }: Call, account: number): Promise<void> {
  if (!(await endSession(store, account, params.session!, now))) throw notFound('session')
}
