import type { KeyScope } from '../../domain/key-scope.ts'
import { scopeDocument } from '../../domain/settings/scope-settings.ts'
import type { ApiKeyStore, ItemStore, KeyStore, PutOutcome } from '../../store/store.ts'
import { type Changes, changedSettings, type Descriptions, type Note } from './note.ts'

/** `noun`: the beginning of the actions, such as `object` in `object.update`. */
type Kind<Settings> = { noun: string; descriptions?: Descriptions<Settings> }

/**
 * Audits puts, updates and deletions. Several entries put together, as by an import, are one action with
 * the numbers of created, updated and unchanged items.
 */
export function auditedItems<
  Item extends Settings & { name: string },
  Settings extends { name: string },
>(
  items: ItemStore<Item, Settings>,
  { noun, descriptions }: Kind<Settings>,
  note: Note,
): ItemStore<Item, Settings> {
  return {
    ...items,
    async put(organization, entries, now) {
      const outcomes = await items.put(organization, entries, now)
      const changes = counted(outcomes)
      if (changes === null) return outcomes
      if (outcomes.length > 1) {
        await note({ action: `${noun}.import`, organization, changes })
        return outcomes
      }
      const { outcome, id: target } = outcomes[0] as Changed
      const action = `${noun}.${outcome === 'created' ? 'create' : 'update'}`
      await note({ action, organization, target, name: entries[0]!.name })
      return outcomes
    },
    async update(organization, id, patch, now) {
      const before = await items.find(organization, id)
      const after = await items.update(organization, id, patch, now)
      if (before === null || after === null || after === 'ident_taken') return after
      if ('outcome' in after) return after
      const changes = changedSettings<Settings>(Object.keys(patch), before, after, descriptions)
      if (changes !== null) {
        const action = `${noun}.update`
        await note({ action, organization, target: id, name: after.name, changes })
      }
      return after
    },
    async delete(organization, id) {
      const before = await items.find(organization, id)
      const isDeleted = await items.delete(organization, id)
      if (isDeleted) {
        const name = before?.name ?? null
        await note({ action: `${noun}.delete`, organization, target: id, name })
      }
      return isDeleted
    },
  }
}

type Changed = Extract<PutOutcome, { id: number }>

/** Null if nothing changed. */
function counted(outcomes: readonly PutOutcome[]): Changes | null {
  const count = (sort: PutOutcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === sort).length
  const [created, updated] = [count('created'), count('updated')]
  if (created + updated === 0) return null
  return {
    created: { to: created },
    updated: { to: updated },
    unchanged: { to: count('unchanged') },
  }
}

/** Audits issuing, revoking and rotating, never the secret. `noun`: `key` in `key.issue`. */
export function auditedKeys(keys: KeyStore, noun: string, note: Note): KeyStore {
  return {
    ...keys,
    async issue(organization, key, now) {
      const issued = await keys.issue(organization, key, now)
      const { id: target, name } = issued
      const scenario = issued.scenario && { scenario: { to: issued.scenario } }
      const changes = scenario ?? scopeChanges(null, issued.scope)
      await note({ action: `${noun}.issue`, organization, target, name, changes })
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

/** Audits changes of scopes too. */
export function auditedApiKeys(keys: ApiKeyStore, note: Note): ApiKeyStore {
  return {
    ...keys,
    ...auditedKeys(keys, 'key', note),
    async setScope(organization, key, scope) {
      const before = (await keys.list(organization)).find(({ id }) => id === key)
      const after = await keys.setScope(organization, key, scope)
      const changes = after && scopeChanges(before?.scope ?? null, after.scope)
      if (after !== null && changes !== null) {
        const { name } = after
        await note({ action: 'key.update', organization, target: key, name, changes })
      }
      return after
    },
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
