import type { OperatorStore } from '../store/store.ts'
import type { Note } from './note.ts'

/** Notes passwords that are set, sessions that are opened, and tokens. `address`: where the client is. */
export function auditedOperator(
  operator: OperatorStore,
  note: Note,
  address: string | null,
): OperatorStore {
  const organization = null
  const changes = address === null ? null : { address: { to: address } }
  return {
    ...operator,
    async reset(setup, now) {
      const issued = await operator.reset(setup, now)
      await note({ action: 'operator.reset', organization })
      return issued
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
    async issue(token, now) {
      const issued = await operator.issue(token, now)
      const { id: target, name } = issued
      await note({ action: 'token.issue', organization, target, name })
      return issued
    },
    async revoke(kind, id) {
      if (kind !== 'token') return operator.revoke(kind, id)
      const tokens = await operator.list(kind)
      const isRevoked = await operator.revoke(kind, id)
      if (isRevoked) {
        const name = tokens.find((each) => each.id === id)?.name ?? null
        await note({ action: 'token.revoke', organization, target: id, name })
      }
      return isRevoked
    },
  }
}
