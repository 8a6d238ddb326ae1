import { notFound } from '../../operator/refused.ts'
import * as doc from '../../operator/schema.ts'
import { endSession, openSessions, SESSION } from '../../operator/ways-in.ts'
import type { Call } from '../admin-api.ts'

const SHOWN = doc.record(
  { ...SESSION, is_own: doc.yes('Whether it is the session of this request.') },
  'A browser in which a person has signed in.',
  'OpenSession',
)
export const SESSIONS = doc.items(SHOWN, 'The open sessions, by id.', 'OpenSessions')

/** The open sessions of an account. */
export async function sessionsOf({ api, caller, now }: Call, account: number) {
  const open = await openSessions(api.store, account, now)
  const items = open.map((each) => ({ ...each, isOwn: each.id === caller!.credential.id }))
  return SESSIONS.write({ items })
}

/** Ends the session of the path, which must be open and of this account. Throws `Refused`. */
export async function endSessionOf({ store, params, now }: Call, account: number): Promise<void> {
  if (!(await endSession(store, account, params.session!, now))) throw notFound('session')
}
