/**
 * A way in for the operator: the one-time link to set a password, a browser session after the password,
 * or a token for a program. Only the hash of its secret is stored.
 */
export const OPERATOR_CREDENTIALS = ['setup', 'session', 'token'] as const
export type OperatorCredentialKind = (typeof OPERATOR_CREDENTIALS)[number]

/** The scope of a token: it reads everything, manages one organization, or may do everything. */
export const TOKEN_SCOPES = ['read', 'organization', 'all'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

export type Reach = {
  scope: TokenScope
  /** The organization that it manages. Null with any other scope. */
  organization: number | null
}

/** `scope`: sessions and setup links have `all`. */
export type OperatorCredential = Reach & {
  id: number
  kind: OperatorCredentialKind
  /** The name of a token, or how a session's browser names itself. */
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
  /**
   * The token that issued it. When the issuer ends, this one ends too. Null if the operator issued it.
   */
  issuer: number | null
}

/** Whether everything in the reach of `inner` is in the reach of `outer`. */
export function covers(outer: Reach, inner: Reach): boolean {
  if (outer.scope === 'all') return true
  return outer.scope === inner.scope && outer.organization === inner.organization
}

/** The tokens with this id, and those that it issued, directly or through others. */
export function issuedThrough(
  tokens: readonly OperatorCredential[],
  id: number,
): OperatorCredential[] {
  const ids = new Set([id])
  // A token is issued after its issuer and has a higher id.
  return tokens.filter((each) => {
    const isOne = ids.has(each.id) || ids.has(each.issuer ?? 0)
    if (isOne) ids.add(each.id)
    return isOne
  })
}

/** Password attempts from one origin: an address, a network, or all strangers. */
export type AttemptCount = {
  origin: string
  /** Attempts since the last success. Each is counted before its password is checked. */
  failures: number
  /** When the last attempt began, in milliseconds since the epoch. */
  at: number
  /** When somebody last signed in from there; null if nobody has. */
  signedInAt: number | null
}
