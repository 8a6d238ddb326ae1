import type { Credential } from '../domain/credential.ts'
import { FEED_TOKEN, hashSecret, looksLike } from './secret.ts'

/** Finds feed tokens and notes their uses. */
type Ring = {
  find(hash: string, now: number): Credential | undefined
  noteUse(token: Credential, now: number): void
}

/** Finds the record of a feed token that is valid at `now`, and notes its use. */
export function feedTokenFinder(
  ring: Ring,
): (token: string, now: number) => Credential | undefined {
  return (token, now) => {
    // An API key or a mistyped token is not looked up.
    const found = looksLike(FEED_TOKEN, token) ? ring.find(hashSecret(token), now) : undefined
    if (found !== undefined) ring.noteUse(found, now)
    return found
  }
}
