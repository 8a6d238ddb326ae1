import { createHmac, type KeyObject } from 'node:crypto'
import type { StoredAttribute } from '../../base/domain/attributes/attribute-catalogue.ts'
import { byTopic, type Items, LIST_TOPICS, type ListTopic } from '../../base/domain/item-rules.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import { movesByIdent, type TrackerMoves } from '../../base/domain/tracker-move.ts'
import type { TextsOf } from '../../engine/store/item-store.ts'
import type { Change, Store, Topic } from '../../engine/store/store.ts'
import type { Snapshots, StatesRead } from '../live/realtime.ts'
import {
  type CachedObject,
  type FleetObject,
  type Idents,
  keptRoster,
  type ObjectStates,
  type OwnObject,
  objectStates,
  type Roster,
} from './fleet-objects.ts'
import { keptRead } from './kept-read.ts'
import { keptLastPositions, type LastPositions } from './last-positions.ts'

/** Entries that keys see. */
export type PublicAttributes = readonly StoredAttribute[]

/** The fleet of one organization, read when first needed and kept until the store reports a change. */
export type Fleet = {
  /** The owner as of opening. With another distance unit, it is another fleet. */
  readonly organization: Organization
  /** The same map until the objects change. */
  objects(): Roster | Promise<Roster>
  idents(): Idents | Promise<Idents>
  /** Where trackers were before they were put into other objects. */
  trackerMoves(): TrackerMoves | Promise<TrackerMoves>
  /** The entries of the catalogue of attributes that are public, by name. The same list until the catalogue changes. */
  attributes(): PublicAttributes | Promise<PublicAttributes>
  readonly states: Pick<ObjectStates, 'join'>
  readonly lastPositions: Pick<LastPositions, 'find'>
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
  const moves = keptRead(async () => movesByIdent(await store.objects.trackerMoves(id)))
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

  const lastPositions = keptLastPositions(store.changeLog, id, !snapshots.isShared)

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
    trackerMoves: moves.get,
    attributes: attributes.get,
    states,
    lastPositions,
    listing: listings.find,
    withStates,
    warm: everyObject,
    committed,
    outdate(change) {
      versions.note(change)
      listings.outdate()
      if (change.topic === 'states') {
        states.outdate()
        lastPositions.outdate()
      }
      if (change.topic === 'objects') {
        roster.outdate()
        moves.outdate()
      }
      if (change.topic === 'attributes') attributes.outdate()
    },
  }
}

/** All items of one kind of an organization at one moment. */
export type Listing<Item> = {
  /** An opaque tag that changes whenever the list does. Getting it does not read the items. */
  readonly tag: string
  /** By id, ascending, some at a time. */
  items(): AsyncIterable<readonly Item[]>
}

export type Listings = { objects: Listing<FleetObject> } & {
  [Topic in ListTopic]: Listing<TextsOf<Items[Topic]>>
}

type ReadItems = { [Kind in keyof Listings]: Listings[Kind]['items'] }

type ReadLists = Omit<ReadItems, 'objects'>

/** The lists of an organization. The same listing is returned until the list changes. */
type KeptListings = {
  /** `read`: the shared data that was read for this request. */
  find<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null): Promise<Listings[Kind]>
  outdate(): void
}

/** For each kind, the last listing and the version of the states in it. */
type Listed = {
  [Kind in keyof Listings]?: { version: string | null; listing: Listings[Kind] }
}

function keptListings(
  { id, distanceUnit }: Organization,
  secret: KeyObject,
  versions: Versions,
  readItems: ReadItems,
): KeptListings {
  let listed: Listed = {}

  /** `states`: the part of the tag for the states. */
  async function tagOf(kind: keyof Listings, states: string | null): Promise<string> {
    const newest = await versions.read()
    const parts: (string | number)[] = [id, kind, newest(kind)]
    if (kind === 'objects') parts.push(states ?? newest('states'), distanceUnit)
    // The tag is keyed, because sequences may count changes of other organizations.
    return createHmac('sha256', secret).update(parts.join(' ')).digest('base64url').slice(0, 22)
  }

  return {
    async find(kind, read) {
      // While the shared states cannot be read, nothing reports their changes: read the versions again.
      const areChangesKnown = kind !== 'objects' || read !== null
      if (!areChangesKnown) versions.forget()
      const version = kind === 'objects' ? (read?.version ?? null) : null
      const kept = listed
      const existing = kept[kind]
      if (existing?.version === version && areChangesKnown) return existing.listing
      const listing = { tag: await tagOf(kind, version), items: readItems[kind] }
      Object.assign(kept, { [kind]: { version, listing } })
      return listing as Listings[typeof kind]
    },
    outdate() {
      listed = {}
    },
  }
}

/** The newest known change of each topic of an organization. */
type Versions = {
  /** Reads the versions if they are not known. The result includes changes that are noted later. */
  read(): Promise<(topic: Topic) => number>
  note(change: Change): void
  /** Lets the next `read` ask the store, if changes may have been missed. */
  forget(): void
}

function keptVersions(ask: () => Promise<Record<Topic, number>>): Versions {
  let known: Promise<Record<Topic, number>> | undefined
  const changedAt: Partial<Record<Topic, number>> = {}

  function asked(): Promise<Record<Topic, number>> {
    known ??= ask().catch((error) => {
      known = undefined
      throw error
    })
    return known
  }

  return {
    async read() {
      const read = await asked()
      return (topic) => Math.max(read[topic], changedAt[topic] ?? 0)
    },
    note({ topic, sequence }) {
      changedAt[topic] = sequence
    },
    forget() {
      known = undefined
    },
  }
}
