/**
 * A way in for the operator: the one-time link to set a password, a browser session after the password,
 * or a token for a program. Only the hash of its secret is stored.
 */
export const OPERATOR_CREDENTIALS = ['setup', 'session', 'token'] as const
export type OperatorCredentialKind = (typeof OPERATOR_CREDENTIALS)[number]

export type OperatorCredential = {
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
