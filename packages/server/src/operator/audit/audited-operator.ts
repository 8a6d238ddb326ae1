import type { OperatorCredential } from '../../domain/operator.ts'
import type { OperatorStore } from '../../store/operator-store.ts'
import { writtenInstant } from '../schema.ts'
import type { EntryOf } from './entry.ts'

/** Audits new passwords, sessions and tokens. `address`: the client's address. */
export function auditedOperator(
  operator: OperatorStore,
  entryOf: EntryOf,
  address: string | null,
): OperatorStore {
  const organization = null
  const changes = address === null ? null : { address: { to: address } }
  const withAddress = (action: string) => () => entryOf(action, { organization, changes })
  const ofEnded = (tokens: readonly OperatorCredential[]) =>
    tokens.flatMap(({ id: target, name }) =>
      entryOf('token.revoke', { organization, target, name }),
    )

  return {
    ...operator,
    reset: (setup, withTokens, now) =>
      operator.reset(setup, withTokens, now, (ended) => [
        ...entryOf('operator.reset', { organization }),
        ...ofEnded(ended),
      ]),
    claim: (setupHash, passwordHash, now) =>
      operator.claim(setupHash, passwordHash, now, withAddress('operator.set_up')),
    changePassword: (previous, next, keep) =>
      operator.changePassword(previous, next, keep, withAddress('operator.change_password')),
    signIn: (session, password, now) =>
      operator.signIn(session, password, now, withAddress('session.sign_in')),
    issue: (token, by, now) =>
      operator.issue(token, by, now, (issued) => {
        const { id: target, name } = issued
        return entryOf('token.issue', { organization, target, name, changes: grantOf(issued) })
      }),
    revoke: (kind, id) => operator.revoke(kind, id, kind === 'token' ? ofEnded : undefined),
  }
}

/** The settings of a new token, without empty ones. */
function grantOf({ scope, organization, expiresAt, issuer }: OperatorCredential) {
  const grant = { scope, organization, issuer, expires_at: writtenInstant(expiresAt) }
  const given = Object.entries(grant).filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([field, to]) => [field, { to }]))
}
