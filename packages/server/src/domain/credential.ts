import type { FeedClient } from './feed-client.ts'
import type { KeyScope } from './key-scope.ts'
import type { TestScenario } from './test-scenario.ts'

/** For whom an API key is, and why. */
export type Grant = {
  readonly recipient: string | null
  readonly purpose: string | null
}

/** A grant as it is kept. It never changes: a key whose recipient or purpose changes gets another one. */
export type KeptGrant = Grant & { readonly id: number }

/**
 * The stored part of a secret that gives access to an organization: an API key or a feed token. The
 * secret itself is shown once, when it is issued, and never stored.
 */
export type Credential = {
  id: number
  organization: number
  name: string
  /** SHA-256 of the secret, base64url. */
  hash: string
  /** The first characters of the secret, by which its owner recognizes it: `fg_live_` or `fg_test_`, and four more. */
  prefix: string
  lastFour: string
  /** Milliseconds since the epoch. */
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** To the minute. */
  lastUsedAt: number | null
  /** The part of the organization that an API key opens. Null: all of it. A feed token has none. */
  scope: KeyScope | null
  /** A test key has one, and opens the simulated fleet. Null: the credential opens the organization. */
  scenario: TestScenario | null
  /** The app that sends with a feed token, which decides its units. Null: the units are those of the formats. */
  client: FeedClient | null
  /** For whom an API key is, and why. A feed token has neither. */
  recipient: string | null
  purpose: string | null
  /** Id of the grant with that recipient and purpose, under which disclosures are counted. 0: the key has neither. */
  granted: number
}

export type CredentialState = 'active' | 'revoked' | 'expired'

export function stateOf(
  { revokedAt, expiresAt }: Pick<Credential, 'revokedAt' | 'expiresAt'>,
  now: number,
): CredentialState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

/** The expiry of a replacement that lives as long as the original was meant to. */
export function sameLifetime({ createdAt, expiresAt }: Credential, now: number): number | null {
  return expiresAt === null ? null : now + expiresAt - createdAt
}
