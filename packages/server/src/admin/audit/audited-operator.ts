import type { OperatorCredential } from '../../domain/operator.ts'
import { writtenInstant as instantOrNull } from '../../operator/schema.ts'
import type { OperatorStore } from '../../store/operator-store.ts'
import type { Note } from './note.ts'

/** Audits new passwords, sessions and tokens. `address`: the client's address. */
export function auditedOperator(
  operator: OperatorStore,
  note: Note,
  address: string | null,
): OperatorStore {
  const organization = null
  const changes = address === null ? null : { address: { to: address } }

  async function noteEnded(tokens: readonly OperatorCredential[]): Promise<void> {
    for (const { id: target, name } of tokens) {
      await note({ action: 'token.revoke', organization, target, name })
    }
  }

  return {
    ...operator,
    async reset(setup, withTokens, now) {
      const ended = await operator.reset(setup, withTokens, now)
      await note({ action: 'operator.reset', organization })
      await noteEnded(ended)
      return ended
    },
    async claim(setupHash, passwordHash, now) {
      const isClaimed = await operator.claim(setupHash, passwordHash, now)
      if (isClaimed) await note({ action: 'operator.set_up', organization, changes })
      return isClaimed
    },
    async changePassword(previous, next, keep) {
      const isChanged = await operator.changePassword(previous, next, keep)
      if (isChanged) await note({ action: 'operator.change_password', organization, changes })
      return isChanged
    },
    async signIn(session, password, now) {
      const opened = await operator.signIn(session, password, now)
      if (opened !== null) await note({ action: 'session.sign_in', organization, changes })
      return opened
    },
    async issue(token, by, now) {
      const issued = await operator.issue(token, by, now)
      if (typeof issued === 'string') return issued
      const { id: target, name } = issued
      await note({ action: 'token.issue', organization, target, name, changes: grantOf(issued) })
      return issued
    },
    async revoke(kind, id) {
      const ended = await operator.revoke(kind, id)
      if (kind === 'token') await noteEnded(ended)
      return ended
    },
  }
}

/** The settings of a new token, without empty ones. */
function grantOf({ scope, organization, expiresAt, issuer }: OperatorCredential) {
  const grant = { scope, organization, issuer, expires_at: instantOrNull(expiresAt) }
  const given = Object.entries(grant).filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([field, to]) => [field, { to }]))
}
