import type { Credential } from '../api/types.ts'

/** The state of a key or token. `ending`: it expires within 7 days. */
export function stateOf(
  { revoked_at, expires_at }: Credential,
  now: number,
): 'active' | 'ending' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'active'
  const left = Date.parse(expires_at) - now
  if (left <= 0) return 'expired'
  return left < 7 * 86_400_000 ? 'ending' : 'active'
}

export function isValid(credential: Credential, now: number): boolean {
  const state = stateOf(credential, now)
  return state === 'active' || state === 'ending'
}
