import type { OperatorStore } from '../store/store.ts'
import type { Note } from './note.ts'

/** Notes who may come in from now on: passwords that are set, and tokens. Sessions come and go unnoted. */
export function auditedOperator(operator: OperatorStore, note: Note): OperatorStore {
  const organization = null
  return {
    ...operator,
    async reset(setup, now) {
      const issued = await operator.reset(setup, now)
      await note({ action: 'operator.reset', organization })
      return issued
    },
    async claim(setupHash, passwordHash, now) {
      const isClaimed = await operator.claim(setupHash, passwordHash, now)
      if (isClaimed) await note({ action: 'operator.set_up', organization })
      return isClaimed
    },
    async changePassword(previous, next, keep) {
      const isChanged = await operator.changePassword(previous, next, keep)
      if (isChanged) await note({ action: 'operator.change_password', organization })
      return isChanged
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
