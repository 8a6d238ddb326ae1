import { isDeepStrictEqual } from 'node:util'
import type { AttributeStore, Attributes } from '../../store/attribute-store.ts'
import { changedSettings, type EntryOf, givenSettings } from './entry.ts'

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
