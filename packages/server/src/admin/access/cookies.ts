import type { IncomingMessage } from 'node:http'
import type { ServerFacts } from '../admin-api.ts'

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
