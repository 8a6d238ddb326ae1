import type { Credential } from '../domain/credential.ts'
import { FEED_TOKEN, hashSecret, looksLike } from './secret.ts'

/** The record behind a feed token, where it is one that stands; `find` looks it up by its hash. */
export function authenticateFeedToken(
  token: string,
  find: (hash: string) => Credential | undefined,
): Credential | undefined {
  return looksLike(FEED_TOKEN, token) ? find(hashSecret(token)) : undefined
}
