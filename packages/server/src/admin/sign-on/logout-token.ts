import type { JWTPayload, JWTVerifyOptions, RemoteJWKSet } from 'jose'
import { RefusedSignOn } from './refused-sign-on.ts'

/** The person or the sign-in whose sessions end, and the id of the token that says so. One of `subject` and `sid` is there. */
export type Logout = { issuer: string; subject: string | null; sid: string | null; jti: string }

/** The event of OpenID Connect Back-Channel Logout 1.0, 2.4. */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** A token is posted when it is made. Its id is remembered for longer than this. */
const MAX_AGE_S = 300

/**
 * Checks a logout token by the rules of OpenID Connect Back-Channel Logout 1.0, 2.6, except whether it was taken before.
 * `expected`: what an ID token must have too. Throws an error of `jose`, or `RefusedSignOn`.
 */
export async function logoutIn(
  token: string,
  keys: RemoteJWKSet,
  expected: JWTVerifyOptions & { issuer: string },
): Promise<Logout> {
  const { jwtVerify } = await import('jose')
  const { payload } = await jwtVerify(token, keys, {
    ...expected,
    maxTokenAge: MAX_AGE_S,
    requiredClaims: ['jti', 'events'],
  })
  const { events, nonce, sub: subject = null, sid = null, jti } = payload
  if (!isLogout(events)) throw refused('is about another event')
  // An ID token has a nonce. It is no reason to end anything.
  if (nonce !== undefined) throw refused('has a nonce')
  if (!isIdOrNull(subject) || !isIdOrNull(sid) || (subject ?? sid) === null) {
    throw refused('has neither a subject nor a sign-in')
  }
  if (!isIdOrNull(jti) || jti === null) throw refused('has no id')
  return { issuer: expected.issuer, subject, sid, jti }
}

function isLogout(events: JWTPayload[string]): boolean {
  if (typeof events !== 'object' || events === null) return false
  const event = (events as Record<string, unknown>)[EVENT]
  return typeof event === 'object' && event !== null
}

function isIdOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value !== '')
}

function refused(why: string): RefusedSignOn {
  return new RefusedSignOn('not_verified', `the logout token ${why}`)
}
