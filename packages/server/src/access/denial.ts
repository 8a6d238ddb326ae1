import { type Credential, stateOf } from '../domain/credential.ts'
import { formatInstant } from '../domain/time/time.ts'
import { prefixOf, type SecretKind } from './secret.ts'

/**
 * Why a request got 401. Only the log has it: an answer does not say whether a secret exists.
 * - `malformed`: the text is no secret of Fleetgate. `other_kind`: it is one of another kind, such as a feed token.
 * - `unknown`: it has the form, and nobody issued it, or its record was deleted.
 * - `scenario`: a test key whose scenario answers so.
 */
export type DenialReason =
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
