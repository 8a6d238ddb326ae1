/**
 * What the operator comes in with: the one-time link that lets a password be set, a browser's session
 * after the password, or a token of a program's own. Of its secret only the hash is kept.
 */
export const OPERATOR_CREDENTIALS = ['setup', 'session', 'token'] as const
export type OperatorCredentialKind = (typeof OPERATOR_CREDENTIALS)[number]

export type OperatorCredential = {
  id: number
  kind: OperatorCredentialKind
  /** What a token was called when it was issued; of a session, the browser as it names itself. */
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

/** Attempts at the password that came from an origin: an address, a network, or all strangers. */
export type AttemptCount = {
  origin: string
  /** Attempts since the last success, each counted before its password was checked. */
  failures: number
  /** When the last attempt began, in milliseconds since the epoch. */
  at: number
  /** When somebody last signed in from there; null where nobody has. */
  signedInAt: number | null
}
