import type { Credential } from '../../domain/credential.ts'
import type { KeyScope } from '../../domain/key-scope.ts'
import { scopeDocument } from '../../domain/settings/scope-settings.ts'
import type { ApiKeyStore, KeyStore } from '../../store/store.ts'
import { type Changes, changedSettings, type EntryOf } from './entry.ts'

/** Audits issuing, revoking and rotating, never the secret. `noun`: `key` in `key.issue`. */
export function auditedKeys(keys: KeyStore, noun: string, entryOf: EntryOf): KeyStore {
  const entry = (
    deed: string,
    { organization, name }: Credential,
    target: number,
    changes?: Changes | null,
  ) => entryOf(`${noun}.${deed}`, { organization, target, name, changes: changes ?? null })
  return {
    ...keys,
    issue: (organization, key, now) =>
      keys.issue(organization, key, now, (issued) => {
        const scenario = issued.scenario && { scenario: { to: issued.scenario } }
        const client = issued.client && { client: { to: issued.client } }
        const changes = scenario ?? client ?? scopeChanges(null, issued.scope)
        return entry('issue', issued, issued.id, changes)
      }),
    revoke: (organization, key, now) =>
      keys.revoke(organization, key, now, (revoked) => entry('revoke', revoked, key)),
    rotate: (organization, key, replacement, oldExpiresAt, now) =>
      keys.rotate(organization, key, replacement, oldExpiresAt, now, (issued) =>
        entry('rotate', issued, key, { id: { from: key, to: issued.id } }),
      ),
  }
}

/** Audits changes of scopes too. */
export function auditedApiKeys(keys: ApiKeyStore, entryOf: EntryOf): ApiKeyStore {
  return {
    ...keys,
    ...auditedKeys(keys, 'key', entryOf),
    setScope: (organization, target, scope) =>
      keys.setScope(organization, target, scope, ({ name, scope: after }, before) => {
        const changes = scopeChanges(before.scope, after)
        return changes && entryOf('key.update', { organization, target, name, changes })
      }),
  }
}

const NO_SCOPE: KeyScope = {
  operations: null,
  objects: null,
  dataFrom: null,
  dataUntil: null,
  windowShare: null,
}

function scopeChanges(before: KeyScope | null, after: KeyScope | null): Changes | null {
  const documents = [before ?? NO_SCOPE, after ?? NO_SCOPE].map((scope) => scopeDocument(scope)!)
  return changedSettings(Object.keys(documents[0]!), documents[0]!, documents[1]!)
}
