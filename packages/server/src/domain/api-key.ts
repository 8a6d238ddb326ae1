/** What is kept of an API key. The key itself is shown once, when it is issued, and kept nowhere. */
export type ApiKey = {
  id: number
  organization: number
  name: string
  /** SHA-256 of the key, base64url. */
  hash: string
  /** The first characters of the key, by which its owner knows it: `fg_live_` and four more. */
  prefix: string
  lastFour: string
  /** Milliseconds since the epoch. */
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** To the minute. */
  lastUsedAt: number | null
}
