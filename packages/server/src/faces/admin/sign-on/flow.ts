import { type KeyObject, randomBytes } from 'node:crypto'
import { seal, unseal } from '../../../base/access/seal.ts'

/** A sign-in that a browser has begun. Only that browser can finish it, at any process, because only it has the cookie. */
export type Flow = {
  state: string
  nonce: string
  /** The secret of PKCE. */
  verifier: string
  /** The path of the console to which it leads. */
  to: string
  /** The account that is to be linked with the person. Null: none. */
  link: Link | null
  /** Milliseconds since the epoch. */
  expiresAt: number
}

/** An account, and the session whose person gave its password. The link is made only while that session is open. */
export type Link = { account: number; session: number }

/** Time for a person to sign in at the provider, with a second factor. */
export const FLOW_MS = 10 * 60_000

const PURPOSE = 'fleetgate sign-on'
const BOUND_TO = 'a browser that signs in'

export function newFlow(to: string, link: Link | null, now: number): Flow {
  const random = () => randomBytes(32).toString('base64url')
  const secrets = { state: random(), nonce: random(), verifier: random() }
  return { ...secrets, to, link, expiresAt: now + FLOW_MS }
}

/** The value of the cookie. */
export function sealFlow(deployment: KeyObject, flow: Flow): string {
  return seal(deployment, PURPOSE, BOUND_TO, JSON.stringify(flow)).toString('base64url')
}

/** Null if this deployment made no such cookie, or it has expired. */
export function openFlow(deployment: KeyObject, cookie: string, now: number): Flow | null {
  try {
    const sealed = Buffer.from(cookie, 'base64url')
    const flow: Flow = JSON.parse(unseal(deployment, PURPOSE, BOUND_TO, sealed))
    return flow.expiresAt > now ? flow : null
  } catch {
    return null
  }
}

const MAX_PATH_LENGTH = 2_000

/**
 * A path of the console that somebody asks to be led to, or `/` if it could lead elsewhere. The path of an operation is
 * not a page.
 */
export function localPath(written: string | null): string {
  const path = written ?? '/'
  // A browser reads a backslash as a slash, and two slashes as the beginning of a host.
  if (path.length > MAX_PATH_LENGTH || !/^\/(?![/\\])[!-[\]-~]*$/.test(path)) return '/'
  const { pathname } = new URL(path, 'http://console')
  return /^\/(?:\/|admin(?:\/|$))/i.test(pathname) ? '/' : path
}
