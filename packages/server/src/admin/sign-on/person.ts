import { EMAIL, PERSON_NAME } from '../../domain/access-settings.ts'
import type { Rule } from '../../domain/setting-rule.ts'
import type { SignOnSettings } from './settings.ts'

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
