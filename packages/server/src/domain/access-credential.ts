import { type Account, mayReset } from './account.ts'
import { covers, type HeldRole, type Role } from './role.ts'

/**
 * A way in: a one-time link by which somebody gets an account or a role, a one-time link to set another password, a
 * browser session, or a token for a program. Only the hash of its secret is stored.
 */
export const ACCESS_CREDENTIALS = ['invitation', 'reset', 'session', 'token'] as const
export type AccessCredentialKind = (typeof ACCESS_CREDENTIALS)[number]

export type AccessCredential = {
  id: number
  kind: AccessCredentialKind
  /**
   * The name of a token, the browser of a session, or the address that an invitation is for: empty if its holder
   * chooses the address.
   */
  name: string
  /** SHA-256 of the secret, base64url. */
  hash: string
  prefix: string
  lastFour: string
  /** Milliseconds since the epoch. */
  createdAt: number
  expiresAt: number | null
  /** To the minute. */
  lastUsedAt: number | null
  /** The account of a session, or of the new password. Null with a token or an invitation. */
  account: number | null
  /** The role of a token, or the one that an invitation gives. Null with a session or a new password: the account has roles. */
  role: Role | null
  organization: number | null
  /** The account of the person who issued it, directly or by tokens. Null: the command line did. */
  issuedBy: number | null
  /** The token that issued it. When the issuer ends, this one ends too. */
  issuer: number | null
  /** Whether a session was opened by single sign-on. */
  isSignOn: boolean
  /**
   * The provider's id of the sign-in that opened a session (`sid` of OpenID Connect), as `hashSecret` writes it: the provider
   * can end that session alone. Null: the provider gave none.
   */
  sid: string | null
}

/** A credential with the accounts that it names, as they are now. */
export type FoundCredential = {
  credential: AccessCredential
  account: Account | null
  issuedBy: Account | null
}

/** The role of a token or an invitation. */
export function roleOf({ role, organization }: AccessCredential): HeldRole {
  return { role: role!, organization }
}

/**
 * Whether a credential is in force: it has not expired, its person is not disabled, and the person who issued it still
 * may give what it gives.
 */
export function isInForce(found: FoundCredential, now: number): boolean {
  const { credential, account, issuedBy } = found
  const { kind, expiresAt } = credential
  if (expiresAt !== null && expiresAt <= now) return false
  if (credential.account !== null && (account === null || account.disabledAt !== null)) return false
  if (credential.issuedBy === null) return true
  if (issuedBy === null || issuedBy.disabledAt !== null) return false
  if (kind === 'reset') return mayReset(issuedBy.roles, account!)
  return covers(issuedBy.roles, roleOf(credential))
}

/** The tokens with this id, and those that it issued, directly or through others. */
export function issuedThrough(tokens: readonly AccessCredential[], id: number): AccessCredential[] {
  const ids = new Set([id])
  // A token is issued after its issuer and has a higher id.
  return tokens.filter((each) => {
    const isOne = ids.has(each.id) || ids.has(each.issuer ?? 0)
    if (isOne) ids.add(each.id)
    return isOne
  })
}
