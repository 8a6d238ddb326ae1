import {
  type AccessCredential,
  type FoundCredential,
  isInForce,
} from '../domain/access-credential.ts'
import type { Store } from '../store/store.ts'
import * as doc from './schema.ts'

type Ways = Pick<Store, 'access'>

/** The form in the console and on the command line. */
export const SESSION = {
  id: doc.integer('Id of the session.'),
  browser: doc.text('How the browser names itself.'),
  created_at: doc.instant('When the person signed in.'),
  last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
  expires_at: doc.instantOrNull('When it ends automatically.'),
  is_sign_on: doc.yes('Whether single sign-on opened it.'),
}

/** The open sessions of an account, by id. */
export async function openSessions({ access }: Ways, account: number, now: number) {
  const all = await access.list('session')
  return all
    .filter((each) => each.credential.account === account && isInForce(each, now))
    .map(({ credential }) => ({ ...credential, browser: credential.name }))
}

/** Ends an open session of an account. Returns whether there was one with this id. */
export async function endSession(
  store: Ways,
  account: number,
  session: number,
  now: number,
): Promise<boolean> {
  const isOpen = (await openSessions(store, account, now)).some(({ id }) => id === session)
  return isOpen && (await store.access.revoke('session', session)).length > 0
}

/** The open invitations to an organization, or (null) all, by id. */
export async function openInvitations(
  { access }: Ways,
  organization: number | null,
  now: number,
): Promise<FoundCredential[]> {
  const all = await access.list('invitation')
  return all.filter((each) => isInForce(each, now) && isOf(each.credential, organization))
}

/** The tokens of an organization, or (null) all, by id. */
export async function tokensOf(
  { access }: Ways,
  organization: number | null,
): Promise<AccessCredential[]> {
  const tokens = (await access.list('token')).map(({ credential }) => credential)
  return tokens.filter((each) => isOf(each, organization))
}

function isOf(credential: AccessCredential, organization: number | null): boolean {
  return organization === null || credential.organization === organization
}
