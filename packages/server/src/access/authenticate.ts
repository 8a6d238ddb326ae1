import type { Credential } from '../domain/credential.ts'
import { type Denial, denialOf } from './denial.ts'
import { API_KEY, hashSecret, looksLike, TEST_KEY } from './secret.ts'

/** The values of the two headers that can carry a key, one for each time it was sent. */
export type KeyHeaders = { apiKeys: string[]; authorizations: string[] }

const BEARER = /^bearer(?: |$)/i

/**
 * Returns the key of a request. Undefined if it presents none, or more than one: both headers, or one of
 * them twice. An `Authorization` of another scheme next to `x-api-key` belongs to a proxy, say, and is
 * ignored.
 */
export function presentedKey({ apiKeys, authorizations }: KeyHeaders): string | undefined {
  const bearers = authorizations.filter((value) => BEARER.test(value))
  if (bearers.length > 0 && authorizations.length > 1) return undefined
  if (apiKeys.length + bearers.length !== 1) return undefined
  return (apiKeys[0] ?? bearers[0]!.slice('bearer'.length)).trim()
}

/**
 * The fault of a request for which `authenticate` found no record. A key is judged by its text alone, so the
 * answer does not reveal whether such a key exists.
 */
export function keyFault(headers: KeyHeaders): KeyFault {
  const { apiKeys, authorizations } = headers
  const key = presentedKey(headers)
  if (key !== undefined) return isKey(key) ? 'invalid' : 'malformed'
  const isSent = apiKeys.length > 0 || authorizations.some((value) => BEARER.test(value))
  return isSent ? 'repeated' : 'missing'
}

function isKey(text: string): boolean {
  return looksLike(API_KEY, text) || looksLike(TEST_KEY, text)
}

/** Why a request has no valid key. `repeated`: it sent several. `invalid`: no valid key has this text. */
export type KeyFault = 'missing' | 'repeated' | 'malformed' | 'invalid'

/** The valid key record of a request, if it presents one. */
export function authenticate(
  headers: KeyHeaders,
  find: (hash: string) => Credential | undefined,
): Credential | undefined {
  const key = presentedKey(headers)
  return key === undefined ? undefined : find(hashSecret(key))
}

/** Why a request has no valid key, for the log. `known`: the record of a hash, valid or not. */
export function keyDenial(
  headers: KeyHeaders,
  known: (hash: string) => Credential | undefined,
  now: number,
): Denial {
  const fault = keyFault(headers)
  if (fault === 'missing' || fault === 'repeated') return { reason: fault }
  const key = presentedKey(headers)!
  return denialOf(key, [API_KEY, TEST_KEY], known(hashSecret(key)), now)
}
