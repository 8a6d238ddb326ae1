import type { IncomingMessage } from 'node:http'
import { hashSecret, looksLike, OPERATOR_TOKEN, SESSION } from '../access/secret.ts'
import type { AdminApi, Caller } from './admin-api.ts'
import { Refused } from './refused.ts'

export const COOKIE = 'fleetgate_session'
const BEARER = /^bearer +(\S+)$/i
const MINUTE_MS = 60_000

/** The session's secret that a browser sends. */
export function cookieOf({ headers }: IncomingMessage): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=')
    if (name === COOKIE) return value
  }
  return undefined
}

/** Who asks, where a session or a token lets him in; null where none does. */
export async function callerOf(
  { store, clock }: AdminApi,
  message: IncomingMessage,
): Promise<Caller | null> {
  const bearer = BEARER.exec(message.headers.authorization ?? '')?.[1]
  const secret = bearer ?? cookieOf(message)
  const kind = bearer === undefined ? SESSION : OPERATOR_TOKEN
  if (secret === undefined || !looksLike(kind, secret)) return null
  const credential = await store.operator.find(hashSecret(secret))
  const now = clock.now()
  if (credential === null || (credential.expiresAt !== null && credential.expiresAt <= now)) {
    return null
  }
  if (credential.kind !== (bearer === undefined ? 'session' : 'token')) return null
  const minute = now - (now % MINUTE_MS)
  if ((credential.lastUsedAt ?? 0) < minute) await store.operator.touch(credential.id, minute)
  const actor = credential.kind === 'token' ? `token ${credential.name}` : 'console'
  return { credential, actor }
}

/**
 * Refuses what another page has a browser send: a change must come from a page of this very origin. A program
 * that sends a token, which no browser adds by itself, names none.
 */
export function refuseForeign(message: IncomingMessage, consoleUrl: string | null): void {
  if (message.method === 'GET' || message.method === 'HEAD') return
  const { origin, host, authorization } = message.headers
  if (origin === undefined && authorization !== undefined) return
  const site = message.headers['sec-fetch-site']
  const isOwn =
    origin !== undefined &&
    (URL.canParse(origin) ? isSame(new URL(origin), host, consoleUrl) : false)
  if (isOwn && (site === undefined || site === 'same-origin')) return
  throw new Refused(
    403,
    'foreign_origin',
    'a change must come from a page of the console itself, or bring a token',
  )
}

function isSame(origin: URL, host: string | undefined, consoleUrl: string | null): boolean {
  if (consoleUrl !== null && origin.origin === new URL(consoleUrl).origin) return true
  return origin.host === host
}
