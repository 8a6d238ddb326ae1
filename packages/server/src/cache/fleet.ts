import type { KeyObject } from 'node:crypto'
import type { AttributeEntry } from '../domain/attributes/catalogue.ts'
import { byTopic, LIST_TOPICS } from '../domain/items.ts'
import type { Organization } from '../domain/organization.ts'
import type { ObjectState } from '../domain/position/object-state.ts'
import type { Snapshots, StatesRead } from '../live/realtime.ts'
import type { Change, Store } from '../store/store.ts'
import type { CachedObject, FleetObject, OwnObject, Roster } from './fleet-object.ts'
import { keptRead } from './kept-read.ts'
import { keptLastPlaces, type LastPlaces } from './last-places.ts'
import { keptListings, type Listings, type ReadLists } from './listings.ts'
import { type ObjectStates, objectStates } from './object-states.ts'
import { type Idents, keptRoster } from './roster.ts'
import { keptVersions } from './versions.ts'

/** Entries that keys see. */
export type PublicAttributes = readonly AttributeEntry[]

/** The fleet of one organization, read when first needed and kept until the store reports a change. */
export type Fleet = {
  /** The owner as of opening. With another distance unit, it is another fleet. */
  readonly organization: Organization
  /** The same map until the objects change. */
  objects(): Roster | Promise<Roster>
  idents(): Idents | Promise<Idents>
  /** The entries of the catalogue of attributes that are public, by name. The same list until the catalogue changes. */
  attributes(): PublicAttributes | Promise<PublicAttributes>
  readonly states: Pick<ObjectStates, 'join'>
  readonly lastPlaces: Pick<LastPlaces, 'find'>
  /** `read`: the shared data that was read for this request. */
  listing<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null): Promise<Listings[Kind]>
  /** The objects with their states, in their order. Missing states are read from the store. */
  withStates(objects: readonly OwnObject[]): Promise<CachedObject[]>
  /** All objects with their states. */
  warm(): Promise<FleetObject[]>
  /**
   * The states of those of the objects that have one, by default of all. They include everything that was committed
   * before the directory last caught up. Shared snapshots may lack it, so the store is read instead of them.
   */
  committed(objects?: readonly number[]): Promise<ReadonlyMap<number, ObjectState>>
  /**
   * Drops what the change outdated. The snapshots keep the states; here a change of states only affects
   * the list's tag.
   */
  outdate(change: Change): void
}

export function openFleet(
  store: Store,
  snapshots: Snapshots,
  organization: Organization,
  secret: KeyObject,
): Fleet {
  const { id } = organization
  const versions = keptVersions(() => store.organizations.versions(id))
  const roster = keptRoster(async () => {
    // Read the versions first: a list may be newer than its tag, but never older.
    await versions.read()
    return store.objects.list(id)
  })
  const attributes = keptRead(async (): Promise<PublicAttributes> => {
    const entries = await store.attributes.list(id)
    return entries.filter(({ isPublic }) => isPublic)
  })
  const states = objectStates(store.positions, snapshots, id)
  const listings = keptListings(organization, secret, versions, {
    async *objects() {
      yield await everyObject()
    },
    ...(byTopic(LIST_TOPICS, (topic) => () => store[topic].pages(id)) as ReadLists),
  })

  const lastPlaces = keptLastPlaces(store.changeLog, id, !snapshots.isShared)

  async function everyObject(): Promise<FleetObject[]> {
    return withStates([...(await roster.objects()).values()])
  }

  async function withStates(objects: readonly OwnObject[]): Promise<CachedObject[]> {
    const ids = objects.map(({ object }) => object.id)
    return states.join(objects, await snapshots.read(id, ids))
  }

  async function committed(wanted?: readonly number[]): Promise<ReadonlyMap<number, ObjectState>> {
    if (snapshots.isShared) return store.positions.states(id, wanted && [...wanted])
    const known = await roster.objects()
    const own = wanted?.flatMap((object) => known.get(object) ?? []) ?? [...known.values()]
    const all = await withStates(own)
    return new Map(all.map(({ object, state }) => [object.id, state]))
  }

  return {
    organization,
    objects: roster.objects,
    idents: roster.idents,
    attributes: attributes.get,
    states,
    lastPlaces,
    listing: listings.find,
    withStates,
    warm: everyObject,
    committed,
    outdate(change) {
      versions.note(change)
      listings.outdate()
      if (change.topic === 'states') {
        states.outdate()
        lastPlaces.outdate()
      }
      if (change.topic === 'objects') roster.outdate()
      if (change.topic === 'attributes') attributes.outdate()
    },
  }
}
