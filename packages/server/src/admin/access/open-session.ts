import { FORGET_SIGN_IN_MS } from '../../access/attempts.ts'
import { newSecret, SESSION } from '../../access/secret.ts'
import type { Account } from '../../domain/account.ts'
import { personActor } from '../../operator/audit/entry.ts'
import { signedOut } from '../../operator/refused.ts'
import type { Proof } from '../../store/access-store.ts'
import { type AdminApi, type Call, Reply } from '../admin-api.ts'
import { DEVICE_COOKIE, deletedCookie, SESSION_COOKIE, setCookie } from './cookies.ts'

/** A working day. A person signs in once a day. */
export const SESSION_MS = 12 * 3_600_000
const MAX_BROWSER_LENGTH = 200

/**
 * Opens a session for a person and answers with its cookie: always a new secret, in place of the session with which the
 * request came. `device`: the secret by which this browser will be known. `sid`: the provider's id of the sign-in, as it is
 * stored, of single sign-on. Throws `Refused` if `proof` does not hold any more.
 */
export async function openSession(
  call: Call,
  account: Account,
  proof: Proof,
  device: string,
  sid: string | null = null,
): Promise<Reply> {
  const { api, caller, userAgent, address, now } = call
  const { access } = api.storeAs(personActor(account), address)
  const { secret, ...kept } = newSecret(SESSION)
  await access.purge(now)
  const session = {
    ...kept,
    name: userAgent.slice(0, MAX_BROWSER_LENGTH),
    expiresAt: now + SESSION_MS,
    account: account.id,
    isSignOn: 'identity' in proof,
    sid,
  }
  if ((await access.openSession(session, proof, now)) === null) throw signedOut()
  // The entry of the sign-in is enough.
  if (caller !== null) await api.store.access.revoke('session', caller.credential.id)
  const opened = setCookie(api.about, SESSION_COOKIE, { value: secret, lastsMs: SESSION_MS })
  return new Reply(null, { 'Set-Cookie': [opened, deviceCookie(api, device)] })
}

export function closedSession(api: AdminApi): Reply {
  return new Reply(null, { 'Set-Cookie': deletedCookie(api.about, SESSION_COOKIE) })
}

export function deviceCookie(api: AdminApi, device: string): string {
  return setCookie(api.about, DEVICE_COOKIE, { value: device, lastsMs: FORGET_SIGN_IN_MS })
}
