import type { ITEM_NOUNS, ItemTopic } from '../../domain/items.ts'
import type { ItemStore, PutOutcome } from '../../store/item-store.ts'
import { type Changes, changedSettings, type Descriptions, type EntryOf } from './entry.ts'

/** `noun`: the beginning of the actions, such as `object` in `object.update`. */
type Kind<Settings> = {
  noun: (typeof ITEM_NOUNS)[ItemTopic]
  descriptions?: Descriptions<Settings>
}

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
  entryOf: EntryOf,
): ItemStore<Item, Settings> {
  return {
    ...items,
    put: (organization, entries, now) =>
      items.put(organization, entries, now, (outcomes) => {
        const changes = counted(outcomes)
        if (changes === null) return null
        if (outcomes.length > 1) return entryOf(`${noun}.import`, { organization, changes })
        const { outcome, id: target } = outcomes[0] as Changed
        const act = outcome === 'created' ? 'create' : 'update'
        return entryOf(`${noun}.${act}`, { organization, target, name: entries[0]!.name })
      }),
    update: (organization, target, patch, now) =>
      items.update(organization, target, patch, now, (after, before) => {
        const changes = changedSettings<Settings>(Object.keys(patch), before, after, descriptions)
        const about = { organization, target, name: after.name, changes }
        return changes && entryOf(`${noun}.update`, about)
      }),
    async delete(organization, target) {
      const { name = null } = (await items.find(organization, target)) ?? {}
      return items.delete(organization, target, () =>
        entryOf(`${noun}.delete`, { organization, target, name }),
      )
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
