import type { Credential } from '../domain/credential.ts'
import { hashSecret } from './secret.ts'

/** The values of the two headers that can carry a key, each as often as it was sent. */
export type KeyHeaders = { apiKeys: string[]; authorizations: string[] }

const BEARER = /^bearer(?: |$)/i

/**
 * The key that a request presents, or undefined where it presents none or more than one: both
 * headers, or either of them twice, are no key. An `Authorization` of another scheme beside
 * `x-api-key` is somebody else's (a proxy's, say) and ignored.
 */
export function presentedKey({ apiKeys, authorizations }: KeyHeaders): string | undefined {
  const bearers = authorizations.filter((value) => BEARER.test(value))
  if (bearers.length > 0 && authorizations.length > 1) return undefined
  if (apiKeys.length + bearers.length !== 1) return undefined
  return (apiKeys[0] ?? bearers[0]!.slice('bearer'.length)).trim()
}

/** The key record behind a request, where it presents a key that stands. */
export function authenticate(
  headers: KeyHeaders,
  find: (hash: string) => Credential | undefined,
): Credential | undefined {
  const key = presentedKey(headers)
  return key === undefined ? undefined : find(hashSecret(key))
}
