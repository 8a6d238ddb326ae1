import { EMAIL, PERSON_NAME } from '../../domain/settings/access-settings.ts'
import type { Rule } from '../../domain/settings/rule.ts'

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

/** `groupsClaim`: the name of the claim that has the groups. */
export function personOf(claims: Claims, groupsClaim: string): Person {
  const nameIn = (claim: unknown) => textIn(claim, PERSON_NAME)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: textIn(claims.email, EMAIL),
    // Some providers write booleans as text.
    isEmailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: nameIn(claims.name) ?? nameIn(claims.preferred_username),
    groups: groupsIn(claims[groupsClaim]),
  }
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
