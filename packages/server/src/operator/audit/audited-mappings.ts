import type { SavedMappingStore } from '../../store/store.ts'
import type { EntryOf } from './entry.ts'

/** Audits that operators delete mappings. An import that saves one has an entry of its own. */
export function auditedMappings(mappings: SavedMappingStore, entryOf: EntryOf): SavedMappingStore {
  return {
    ...mappings,
    async delete(organization, target) {
      const found = (await mappings.list(organization)).find(({ id }) => id === target)
      const name = found?.headings.join(', ').slice(0, SHOWN_CHARACTERS) ?? null
      return mappings.delete(organization, target, () =>
        entryOf('mapping.delete', { organization, target, name }),
      )
    },
  }
}

const SHOWN_CHARACTERS = 100
