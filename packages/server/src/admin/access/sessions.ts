import { isInForce } from '../../domain/access-credential.ts'
import * as doc from '../../operator/schema.ts'
import type { Call } from '../admin-api.ts'

const SESSION = doc.record(
  {
    id: doc.integer('Id of the session.'),
    browser: doc.text('How the browser names itself.'),
    created_at: doc.instant('When the person signed in.'),
    last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
    expires_at: doc.instantOrNull('When it ends automatically.'),
    is_sign_on: doc.yes('Whether single sign-on opened it.'),
    is_own: doc.yes('Whether it is the session of this request.'),
  },
  'A browser in which a person has signed in.',
  'OpenSession',
)
export const SESSIONS = doc.items(SESSION, 'The open sessions, by id.', 'OpenSessions')

/** The open sessions of an account. */
export async function sessionsOf({ api, caller, now }: Call, account: number) {
  const all = await api.store.access.list('session')
  const open = all.filter((each) => each.credential.account === account && isInForce(each, now))
  return SESSIONS.write({
    items: open.map(({ credential }) => ({
      ...credential,
      browser: credential.name,
      isOwn: credential.id === caller!.credential.id,
    })),
  })
}
