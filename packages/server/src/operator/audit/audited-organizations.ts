import { isDeepStrictEqual } from 'node:util'
import type { AttributeStore, Attributes, SavedMappingStore } from '../../store/item-store.ts'
import type { OrganizationStore } from '../../store/store.ts'
import { changedSettings, type EntryOf, givenSettings } from './entry.ts'

/** Audits creations, updates and deletions. */
export function auditedOrganizations(
  organizations: OrganizationStore,
  entryOf: EntryOf,
): OrganizationStore {
  const about = (id: number, name: string | null) => ({ organization: id, target: id, name })
  return {
    ...organizations,
    create: (settings, now) =>
      organizations.create(settings, now, ({ id, name }) =>
        entryOf('organization.create', about(id, name)),
      ),
    update: (id, patch, now) =>
      organizations.update(id, patch, now, (after, before) => {
        const changes = changedSettings(Object.keys(patch), before, after)
        return changes && entryOf('organization.update', { ...about(id, after.name), changes })
      }),
    async delete(id) {
      const { name = null } = (await organizations.find(id)) ?? {}
      return organizations.delete(id, () => entryOf('organization.delete', about(id, name)))
    },
  }
}

/** Audits that operators rename or delete mappings. An import that saves one has an entry of its own. */
export function auditedMappings(mappings: SavedMappingStore, entryOf: EntryOf): SavedMappingStore {
  const nameOf = async (organization: number, target: number) =>
    (await mappings.list(organization)).find(({ id }) => id === target)?.name ?? null
  return {
    ...mappings,
    async rename(organization, target, name) {
      const from = await nameOf(organization, target)
      if (from === name) return true
      return mappings.rename(organization, target, name, () =>
        entryOf('mapping.update', {
          ...{ organization, target, name },
          changes: { name: { from, to: name } },
        }),
      )
    },
    async delete(organization, target) {
      const name = await nameOf(organization, target)
      return mappings.delete(organization, target, () =>
        entryOf('mapping.delete', { organization, target, name }),
      )
    },
  }
}

/** Audits changes of catalogues of attributes. Several at once are one action with the names. */
export function auditedAttributes(attributes: AttributeStore, entryOf: EntryOf): AttributeStore {
  return {
    ...attributes,
    change: (organization, change) =>
      attributes.change(organization, change, (after, before) => {
        const { added, changed, removed } = differences(before, after)
        const [name = null, ...others] = [...added, ...changed, ...removed]
        if (others.length > 0) {
          const changes = givenSettings({ added, changed, removed })
          return entryOf('attributes.update', { organization, changes })
        }
        if (added.length > 0) return entryOf('attribute.create', { organization, name })
        if (removed.length > 0) return entryOf('attribute.delete', { organization, name })
        const [from, to] = [before, after].map(
          (entries) => entries.find((each) => each.name === name)!,
        )
        const changes = changedSettings(Object.keys(to!), from!, to!)
        return entryOf('attribute.update', { organization, name, changes })
      }),
  }
}

function differences(before: Attributes, after: Attributes) {
  const old = new Map(before.map((entry) => [entry.name, entry]))
  const kept = new Set(after.map(({ name }) => name))
  const isChanged = (entry: Attributes[number]) => !isDeepStrictEqual(old.get(entry.name), entry)
  const namesOf = (entries: Attributes) => entries.map(({ name }) => name)
  return {
    added: namesOf(after.filter(({ name }) => !old.has(name))),
    changed: namesOf(after.filter((entry) => old.has(entry.name) && isChanged(entry))),
    removed: namesOf(before.filter(({ name }) => !kept.has(name))),
  }
}
