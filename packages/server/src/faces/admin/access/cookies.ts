import type { IncomingMessage } from 'node:http'
import { ADMIN_PREFIX, type CookieKind, type ServerFacts } from '../admin-api.ts'

/** The secret of a session. */
export const SESSION_COOKIE: CookieKind = { name: 'fleetgate_session', path: '/' }
/** The secret of a browser that has signed in before. */
export const DEVICE_COOKIE: CookieKind = { name: 'fleetgate_device', path: '/' }
/** Lets the browser finish the sign-on that it began. The provider's page leads here, so it comes from another site. */
export const FLOW_COOKIE: CookieKind = { name: 'fleetgate_sign_on', path: '/', isLax: true }
/** The ID token of the session, which the provider wants to see when the session ends. Few requests carry it: it is long. */
export const HINT_COOKIE: CookieKind = {
  name: 'fleetgate_id_token',
  path: `${ADMIN_PREFIX}/sign-on`,
}

type Place = Pick<ServerFacts, 'consoleUrl'>

/**
 * The name of a cookie in the browser. Over HTTPS, the prefix keeps servers of neighboring names from setting it
 * (RFC 6265bis, 4.1.3). Over HTTP, which is for this machine alone, browsers take no name with a prefix.
 */
function browserName(place: Place, { name, path }: CookieKind): string {
  if (!isSecure(place)) return name
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`
}

function isSecure({ consoleUrl }: Place): boolean {
  return consoleUrl?.startsWith('https:') ?? false
}

/** The `Set-Cookie` of a cookie for the console, which no script can read. */
export function setCookie(
  place: Place,
  kind: CookieKind,
  { value, lastsMs }: { value: string; lastsMs: number },
): string {
  const site = kind.isLax ? 'Lax' : 'Strict'
  const secure = isSecure(place) ? '; Secure' : ''
  const where = `Path=${kind.path}; HttpOnly; SameSite=${site}`
  return `${browserName(place, kind)}=${value}; ${where}; Max-Age=${lastsMs / 1_000}${secure}`
}

export function deletedCookie(place: Place, kind: CookieKind): string {
  return setCookie(place, kind, { value: '', lastsMs: 0 })
}

/** The values of the cookies of a kind. Over HTTP, servers on other ports of this host may set some as well. */
export function cookiesOf(
  place: Place,
  { headers }: Pick<IncomingMessage, 'headers'>,
  kind: CookieKind,
): string[] {
  const prefix = `${browserName(place, kind)}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const named = pairs.filter((pair) => pair.startsWith(prefix))
  return named.map((pair) => pair.slice(prefix.length))
}
