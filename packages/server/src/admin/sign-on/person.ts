import { hiddenIn } from '../../domain/text/hidden-characters.ts'

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

const MAX_TEXT = 200

/** `groupsClaim`: the name of the claim that has the groups. */
export function personOf(claims: Claims, groupsClaim: string): Person {
  const email = textOf(claims.email)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: email !== null && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null,
    // Some providers write booleans as text.
    isEmailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: textOf(claims.name) ?? textOf(claims.preferred_username),
    groups: groupsIn(claims[groupsClaim]),
  }
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  const isShown = text !== '' && text.length <= MAX_TEXT && hiddenIn(text) === undefined
  return isShown ? text : null
}

/** Providers send a list, or one name without a list. Anything else names no group. */
function groupsIn(value: unknown): string[] | null {
  if (value === undefined) return null
  const names: unknown[] = Array.isArray(value) ? value : [value]
  return names.filter((each) => typeof each === 'string')
}
