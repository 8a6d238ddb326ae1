import { type PlaceLimit, type PlaceRoom, takeRoom } from '../domain/limits.ts'
import type { ItemKind } from './kinds.ts'

/** The limit that keeps an item out. */
export type ItemLimit = PlaceLimit | { outcome: 'limit_of_objects' }

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
  let left = free
  return (before) => {
    if (before !== null) return undefined
    left -= 1
    return left < 0 ? { outcome: 'limit_of_objects' } : undefined
  }
}

export function roomForPlaces<Settings>(
  { verticesOf = () => 0 }: ItemKind<Settings>,
  room: PlaceRoom,
): ItemRoom<Settings> {
  return (before, after) => takeRoom(room, before && verticesOf(before), verticesOf(after))
}
