import { minOf } from '../../domain/common/any-number.ts'
import type { ItemRoom } from '../item-room.ts'
import { type ItemKind, type ItemOf, isSame } from '../kinds.ts'
import type { ItemEntry, PutOutcome } from '../store.ts'
import type { ItemForm } from './item-form.ts'

/** The items of an organization as they will be, entry by entry, before the transaction writes them. */
export type ItemsDraft<Settings> = {
  find(id: number): ItemOf<Settings> | null
  /** Matches an entry by its id, else by its name or ident; among several matches, the lowest id. */
  match(entry: ItemEntry<Settings>): ItemOf<Settings> | null
  add(item: ItemOf<Settings>): void
  replace(
    existing: ItemOf<Settings>,
    settings: Settings,
    now: number,
    takeRoom: ItemRoom<Settings>,
  ): PutOutcome
}

/** Over all items that an entry of the transaction can match. */
export function itemsDraft<Settings extends object>(
  kind: ItemKind<Settings>,
  form: Pick<ItemForm<Settings>, 'values'>,
  existing: readonly ItemOf<Settings>[],
): ItemsDraft<Settings> {
  const { matchedBy } = kind
  const byId = new Map<number, ItemOf<Settings>>()
  const idsByMatch = new Map<string, Set<number>>()
  const textOf = (settings: Settings) => settings[matchedBy as keyof Settings] as string

  function idsOf(settings: Settings): Set<number> {
    const text = textOf(settings)
    const existing = idsByMatch.get(text) ?? new Set()
    idsByMatch.set(text, existing)
    return existing
  }

  function lowestOf(settings: Settings): ItemOf<Settings> | null {
    const ids = idsOf(settings)
    return ids.size === 0 ? null : byId.get(minOf(ids))!
  }

  function add(item: ItemOf<Settings>): void {
    byId.set(item.id, item)
    idsOf(item).add(item.id)
  }

  for (const item of existing) add(item)

  return {
    find: (id) => byId.get(id) ?? null,
    match: (entry) => (entry.id === undefined ? null : byId.get(entry.id)) ?? lowestOf(entry),
    add,
    replace(item, settings, now, takeRoom) {
      const { id, organization, createdAt } = item
      const holder = lowestOf(settings)
      if (matchedBy === 'ident' && holder !== null && holder.id !== id) {
        return { outcome: 'ident_taken' }
      }
      if (isSame(kind, form.values(item), form.values(settings))) {
        return { outcome: 'unchanged', id }
      }
      const limit = takeRoom(item, settings)
      if (limit !== undefined) return limit
      idsOf(item).delete(id)
      add({ ...settings, id, organization, createdAt, updatedAt: now })
      return { outcome: 'updated', id }
    },
  }
}
