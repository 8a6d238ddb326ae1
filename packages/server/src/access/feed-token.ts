import type { Credential } from '../domain/credential.ts'
import { FEED_TOKEN, hashSecret, looksLike } from './secret.ts'

/** Where feed tokens are looked up, and their uses noted. */
type Ring = {
  find(hash: string, now: number): Credential | undefined
  noteUse(token: Credential, now: number): void
}

/** Finds the record behind a feed token, where it is one that stands at `now`, and notes its use. */
export function feedTokenFinder(
  ring: Ring,
): (token: string, now: number) => Credential | undefined {
  return (token, now) => {
    // An API key, and what was mistyped, is not even looked up.
    const found = looksLike(FEED_TOKEN, token) ? ring.find(hashSecret(token), now) : undefined
    if (found !== undefined) ring.noteUse(found, now)
    return found
  }
}
