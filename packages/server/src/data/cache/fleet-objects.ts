import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import {
  type AttributesAt,
  type ObjectState,
  UNSEEN,
} from '../../base/domain/position/object-state.ts'
import type { PositionStore } from '../../engine/store/position-store.ts'
import type { Snapshots, StatesRead } from '../live/realtime.ts'
import { keptRead } from './kept-read.ts'

/** An object with its state at one moment. Immutable: a newer one replaces it. */
export type FleetObject = {
  readonly object: MonitoredObject
  readonly state: ObjectState
  /** The attributes of another moment than now. Absent: those of the state. */
  readonly attributesAt?: AttributesAt
}

/**
 * The same object is returned until a newer one replaces it, so that answers made from it can be kept
 * with it.
 */
export type CachedObject = FleetObject & { readonly made: ObjectAnswers }

export type ObjectAnswers = {
  detail?: { body: string; bytes: number; tag: string }
  latest?: Buffer
}

/** An object of the organization, before its state is read. */
export type OwnObject = {
  readonly object: MonitoredObject
  /** The object with the newest state that was read for it. */
  existing: CachedObject | undefined
}

/** All objects of an organization by id. */
export type Roster = ReadonlyMap<number, OwnObject>

/** The ids of all objects of an organization by ident. */
export type Idents = ReadonlyMap<string, number>

/** The objects of an organization, read when first needed and kept until they change. */
type KeptRoster = {
  /** The same map until the objects change. */
  objects(): Roster | Promise<Roster>
  idents(): Idents | Promise<Idents>
  outdate(): void
}

export function keptRoster(list: () => Promise<MonitoredObject[]>): KeptRoster {
  const { get: objects, outdate } = keptRead(async () => rosterOf(await list()))
  const idents = new WeakMap<Roster, Idents>()

  function identsIn(roster: Roster): Idents {
    const known = idents.get(roster) ?? identsOf(roster)
    idents.set(roster, known)
    return known
  }

  return {
    objects,
    idents() {
      const roster = objects()
      return roster instanceof Promise ? roster.then(identsIn) : identsIn(roster)
    },
    outdate,
  }
}

function rosterOf(objects: readonly MonitoredObject[]): Roster {
  const roster = new Map<number, OwnObject>()
  for (const object of objects) roster.set(object.id, { object, existing: undefined })
  return roster
}

function identsOf(roster: Roster): Idents {
  return new Map(Array.from(roster.values(), ({ object }) => [object.ident, object.id]))
}

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
