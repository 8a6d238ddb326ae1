import type { Credential } from '../api/types.ts'

/** A key or token that expires within this time is about to. */
export const SOON_DAYS = 14

/** The state of a key or token. `ending`: it is about to expire. */
export function stateOf(
  { revoked_at, expires_at }: Pick<Credential, 'revoked_at' | 'expires_at'>,
  now: number,
): 'active' | 'ending' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'active'
  const left = Date.parse(expires_at) - now
  if (left <= 0) return 'expired'
  return left < SOON_DAYS * 86_400_000 ? 'ending' : 'active'
}

export function isValid(credential: Credential, now: number): boolean {
  const state = stateOf(credential, now)
  return state === 'active' || state === 'ending'
}
