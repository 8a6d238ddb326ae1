import type { IncomingMessage } from 'node:http'
import { FORGET_SIGN_IN_MS } from '../../access/attempts.ts'
import { hashSecret, newSecret, SESSION } from '../../access/secret.ts'
import type { Account } from '../../domain/account.ts'
import { personActor } from '../../operator/audit/entry.ts'
import { signedOut } from '../../operator/refused.ts'
import type { Proof } from '../../store/access-store.ts'
import { type AdminApi, type Call, Reply, type ServerFacts } from '../admin-api.ts'

/** The secrets of a session, and of a browser that has signed in before. */
export const COOKIE = 'fleetgate_session'
export const DEVICE_COOKIE = 'fleetgate_device'
/** A working day. A person signs in once a day. */
export const SESSION_MS = 12 * 3_600_000
const MAX_BROWSER_LENGTH = 200

/**
 * Opens a session for a person and answers with its cookie: always a new secret, in place of the session with which the
 * request came.
 * `device`: the secret by which this browser will be known. `sid`: the provider's id of the sign-in, of single sign-on. Throws `Refused` if `proof` does not hold any more.
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
    sid: sid === null ? null : hashSecret(sid),
  }
  if ((await access.openSession(session, proof, now)) === null) throw signedOut()
  // The entry of the sign-in is enough.
  if (caller !== null) await api.store.access.revoke('session', caller.credential.id)
  const opened = setCookie(api.about, { name: COOKIE, value: secret, lastsMs: SESSION_MS })
  return new Reply(null, { 'Set-Cookie': [opened, deviceCookie(api, device)] })
}

export function closedSession(api: AdminApi): Reply {
  return new Reply(null, { 'Set-Cookie': deletedCookie(api.about, { name: COOKIE }) })
}

export function deviceCookie(api: AdminApi, device: string): string {
  return setCookie(api.about, { name: DEVICE_COOKIE, value: device, lastsMs: FORGET_SIGN_IN_MS })
}

type CookiePlace = {
  name: string
  /** `/` if it is left out. */
  path?: string
  /** Whether a link of another site brings it too. */
  isLax?: boolean
}

/** The `Set-Cookie` of a cookie for the console, which no script can read. */
export function setCookie(
  { consoleUrl }: ServerFacts,
  {
    name,
    value,
    lastsMs,
    path = '/',
    isLax = false,
  }: CookiePlace & { value: string; lastsMs: number },
): string {
  const secure = consoleUrl?.startsWith('https:') ? '; Secure' : ''
  const seconds = lastsMs / 1_000
  const site = isLax ? 'Lax' : 'Strict'
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${site}; Max-Age=${seconds}${secure}`
}

export function deletedCookie(about: ServerFacts, place: CookiePlace): string {
  return setCookie(about, { ...place, value: '', lastsMs: 0 })
}

/** The values of the cookies of a name. Servers on other ports of this host may set some as well. */
export function cookiesNamed({ headers }: IncomingMessage, name: string): string[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const named = pairs.filter((pair) => pair.startsWith(`${name}=`))
  return named.map((pair) => pair.slice(name.length + 1))
}
