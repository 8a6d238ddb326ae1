import type { KeyStore } from '../store/store.ts'
import type { Note } from './note.ts'

/** Audits issuing, revoking and rotating, never the secret. `noun`: `key` in `key.issue`. */
export function auditedKeys(keys: KeyStore, noun: string, note: Note): KeyStore {
  return {
    ...keys,
    async issue(organization, key, now) {
      const issued = await keys.issue(organization, key, now)
      const { id: target, name } = issued
      await note({ action: `${noun}.issue`, organization, target, name })
      return issued
    },
    async revoke(organization, key, now) {
      const revoked = await keys.revoke(organization, key, now)
      // A key that was revoked before keeps that time.
      if (revoked?.revokedAt === now) {
        await note({ action: `${noun}.revoke`, organization, target: key, name: revoked.name })
      }
      return revoked
    },
    async rotate(organization, key, replacement, oldExpiresAt, now) {
      const issued = await keys.rotate(organization, key, replacement, oldExpiresAt, now)
      if (issued !== null) {
        const changes = { id: { from: key, to: issued.id } }
        const { name } = issued
        await note({ action: `${noun}.rotate`, organization, target: key, name, changes })
      }
      return issued
    },
  }
}
