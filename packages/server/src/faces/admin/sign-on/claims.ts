import type { JWTPayload, JWTVerifyOptions, RemoteJWKSet } from 'jose'
import { EMAIL, PERSON_NAME } from '../../../base/domain/access-settings.ts'
import type { Rule } from '../../../base/domain/setting-rule.ts'
import type { SignOnSettings } from '../access/sign-on-settings.ts'
import { RefusedSignOn } from './refused-sign-on.ts'

/** A person as the provider describes them. */
export type Person = {
  issuer: string
  /** The provider's own id of the person, which it gives to nobody else. */
  subject: string
  /** Null: the provider does not say, or not in the form of an address. */
  email: string | null
  /** Whether the provider says that the address is the person's own. */
  isEmailVerified: boolean
  name: string | null
  /** Null: the provider does not say. */
  groups: string[] | null
}

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string }

export function personOf(
  claims: Claims,
  { groupsClaim, trustsEmail }: Pick<SignOnSettings, 'groupsClaim' | 'trustsEmail'>,
): Person {
  const nameIn = (claim: unknown) => textIn(claim, PERSON_NAME)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: textIn(claims.email, EMAIL),
    isEmailVerified: isVerifiedIn(claims) ?? trustsEmail,
    name: nameIn(claims.name) ?? nameIn(claims.preferred_username),
    groups: groupsIn(claims[groupsClaim]),
  }
}

/**
 * Whether the address is the person's own. Undefined: the provider does not say. Microsoft Entra says in `xms_edov` that
 * the owner of the domain has verified it. Some providers write booleans as text or as a number.
 */
function isVerifiedIn({ email_verified, xms_edov }: Claims): boolean | undefined {
  const said = email_verified ?? xms_edov
  return said === undefined ? undefined : [true, 'true', 1, '1'].includes(said as never)
}

/** The text, if it could be typed here as well: the audit log and lists name people by it. */
function textIn(value: unknown, rule: Rule): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return rule.holds(text) ? text : null
}

/** Providers send a list, or one name without a list. Anything else names no group. */
function groupsIn(value: unknown): string[] | null {
  if (value === undefined) return null
  const names: unknown[] = Array.isArray(value) ? value : [value]
  return names.filter((each) => typeof each === 'string')
}

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
  // An ID token has a nonce, and is not a reason to end anything.
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
