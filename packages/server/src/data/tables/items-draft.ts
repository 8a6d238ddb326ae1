import { minOf } from '../../base/domain/common/any-number.ts'
import { type PlaceLimit, type PlaceRoom, takeRoom } from '../../base/domain/limits.ts'
import type { ItemEntry, PutOutcome } from '../../engine/store/item-store.ts'
import { type ItemForm, type ItemKind, type ItemOf, isSame } from './item-columns.ts'

/** The limit that keeps an item out. */
type ItemLimit = PlaceLimit | { outcome: 'limit_of_objects' }

/**
 * Takes room for an item that is added, or changed from `before`. Returns the limit that it exceeds; it then takes
 * nothing.
 */
export type ItemRoom<Settings> = (before: Settings | null, after: Settings) => ItemLimit | undefined

/** The room of items that no limit counts. */
export const unlimited = () => undefined

/** Whether a change of an item can exceed a limit. */
export function mayExceed<Settings>(kind: ItemKind<Settings>, before: Settings | null): boolean {
  return before === null || kind.verticesOf !== undefined
}

/** `free`: how many more there may be. */
export function roomForObjects<Settings>(free: number): ItemRoom<Settings> {
  let room = free
  return (before) => {
    if (before !== null) return undefined
    room -= 1
    return room < 0 ? { outcome: 'limit_of_objects' } : undefined
  }
}

export function roomForPlaces<Settings>(
  { verticesOf = () => 0 }: ItemKind<Settings>,
  room: PlaceRoom,
): ItemRoom<Settings> {
  return (before, after) => takeRoom(room, before && verticesOf(before), verticesOf(after))
}

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
