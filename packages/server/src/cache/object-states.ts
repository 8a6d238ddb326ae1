import { type ObjectState, UNSEEN } from '../domain/position/object-state.ts'
import type { Snapshots, StatesRead } from '../live/realtime.ts'
import type { PositionStore } from '../store/store.ts'
import type { CachedObject, OwnObject } from './fleet-object.ts'

/** Joins the objects of an organization with their states. */
export type ObjectStates = {
  /** Adds the states to objects, in their order. Missing states are read from the store. */
  join(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): CachedObject[] | Promise<CachedObject[]>
  /** Notes a change of states: a read under way may be older. */
  outdate(): void
}

export function objectStates(
  positions: PositionStore,
  snapshots: Snapshots,
  organization: number,
): ObjectStates {
  let changes = 0

  function join(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): CachedObject[] | Promise<CachedObject[]> {
    const joined: CachedObject[] = []
    // Loop by index: an iterator of pairs makes an array for each pair.
    for (let i = 0; i < objects.length; i += 1) {
      const state = read?.kept[i]
      if (state === undefined) return joinFromStore(objects, read)
      joined.push(cachedWith(objects[i]!, state))
    }
    return joined
  }

  /** Reads the missing states and keeps them. */
  async function joinFromStore(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): Promise<CachedObject[]> {
    const kept = read?.kept ?? []
    const missing = objects.filter((_, i) => kept[i] === undefined).map(({ object }) => object.id)
    const before = changes
    const states = await positions.states(organization, missing)
    for (const id of missing) if (!states.has(id)) states.set(id, UNSEEN)
    if (read !== null && before === changes) {
      await snapshots.fill(organization, states, read.version)
    }
    return objects.map((own, i) => cachedWith(own, kept[i] ?? states.get(own.object.id)!))
  }

  return {
    join,
    outdate() {
      changes += 1
    },
  }
}

/** The object with this state. The same one as before if the state is. */
function cachedWith(own: OwnObject, state: ObjectState): CachedObject {
  if (own.existing?.state !== state) own.existing = { object: own.object, state, made: {} }
  return own.existing
}
