import type { CachedObject, FleetObject, OwnObject } from '../../cache/fleet-object.ts'
import { latestRows, type ObjectRows } from '../encode/object-rows.ts'

/** Objects whose states are read at once, and rows that are encoded at once. */
const GROUP_OBJECTS = 500

/** Slices of a list. */
export function* inGroups<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += GROUP_OBJECTS) {
    yield items.slice(from, from + GROUP_OBJECTS)
  }
}

type WithStates = (objects: readonly OwnObject[]) => Promise<CachedObject[]>

/** Objects with their states, read slice by slice. */
export async function* stateGroups(
  objects: readonly OwnObject[],
  withStates: WithStates,
): AsyncGenerator<CachedObject[]> {
  for (const group of inGroups(objects)) yield await withStates(group)
}

/** The rows of the last positions of objects with their states. */
export async function* latestGroups(
  groups: AsyncIterable<readonly FleetObject[]> | Iterable<readonly FleetObject[]>,
): AsyncGenerator<ObjectRows[]> {
  for await (const group of groups) yield group.map(latestRows)
}
