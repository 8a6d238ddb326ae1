import type { SavedMappingStore } from '../../store/store.ts'
import type { EntryOf } from './entry.ts'

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
