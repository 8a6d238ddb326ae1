import { type Credential, stateOf } from '../domain/credential.ts'
import { formatInstant } from '../domain/time/time.ts'
import { API_KEY, hashSecret, looksLike, prefixOf, type SecretKind, TEST_KEY } from './secret.ts'

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

/**
 * Why a request got 401. Only the log has it: an answer does not say whether a secret exists.
 * - `malformed`: the text is not a secret of Fleetgate. `other_kind`: it is one of another kind, such as a feed token.
 * - `unknown`: it has the form, and nobody issued it, or its record was deleted.
 * - `scenario`: a test key whose scenario answers so.
 */
type DenialReason =
  | 'missing'
  | 'repeated'
  | 'malformed'
  | 'other_kind'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'scenario'

export type Denial = {
  reason: DenialReason
  /** The public prefix of the secret, as lists of keys show it. Undefined without a secret of the right form. */
  prefix?: string
  /** When it expired or was revoked, milliseconds since the epoch. */
  since?: number
}

/** The parts of a record that decide whether its secret is valid. */
type Lifetime = Pick<Credential, 'expiresAt' | 'revokedAt'> & Partial<Pick<Credential, 'scenario'>>

/** Why a secret was denied. `kinds`: those that were expected. `known`: the record of a hash, valid or not. */
export function denialOf(
  secret: string,
  kinds: readonly SecretKind[],
  known: Lifetime | undefined,
  now: number,
): Denial {
  const prefix = prefixOf(secret)
  if (prefix === undefined) return { reason: 'malformed' }
  if (!kinds.some((kind) => secret.startsWith(kind))) return { reason: 'other_kind', prefix }
  if (known === undefined) return { reason: 'unknown', prefix }
  const state = stateOf(known, now)
  if (state === 'revoked') return { reason: state, prefix, since: known.revokedAt! }
  if (state === 'expired') return { reason: state, prefix, since: known.expiresAt! }
  return { reason: (known.scenario ?? null) === null ? 'unknown' : 'scenario', prefix }
}

/** Members of a JSON object, as text, for the log. */
export function denialMembers({ reason, prefix, since }: Denial): string {
  return (
    `"reason":"${reason}"` +
    (prefix === undefined ? '' : `,"prefix":"${prefix}"`) +
    (since === undefined ? '' : `,"since":"${formatInstant(since)}"`)
  )
}
