import { createHmac } from 'node:crypto'
import { type ObjectState, UNSEEN } from '../domain/object-state.ts'
import type { Organization } from '../domain/organization.ts'
import type { Geofence, Route, Site } from '../domain/place.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import type { Snapshots, StatesRead } from '../realtime/realtime.ts'
import type { Change, Store, Topic } from '../store/store.ts'

/** An object with its state at one moment. Immutable: a newer one replaces it. */
export type FleetObject = {
  readonly object: TrackedObject
  readonly state: ObjectState
}

/**
 * The same object is returned until a newer one replaces it, so that answers made from it can be kept
 * with it.
 */
export type StandingObject = FleetObject & { readonly made: MadeOfObject }
export type MadeOfObject = {
  detail?: { body: string; bytes: number; tag: string }
  latest?: Buffer
}

/** An object of the organization, before its state is read. */
export type OwnObject = {
  readonly object: TrackedObject
  /** The object with the newest state that was read for it. */
  existing: StandingObject | undefined
}

export type Roster = ReadonlyMap<number, OwnObject>

/** All items of one kind of an organization at one moment. */
export type Listing<Item> = {
  /** An opaque tag that changes whenever the list does. Getting it does not read the items. */
  readonly tag: string
  /** By id, ascending. */
  items(): Promise<Item[]>
}

export type Listings = {
  objects: Listing<FleetObject>
  geofences: Listing<Geofence>
  routes: Listing<Route>
  sites: Listing<Site>
}

/** The fleet of one organization, read when first needed and kept until the store reports a change. */
export type Fleet = {
  /** The owner as of opening. With another distance unit, it is another fleet. */
  readonly organization: Organization
  /** All objects of the organization by id. The same map until they change. */
  objects(): Roster | Promise<Roster>
  /** The ids of all objects by ident. */
  idents(): Promise<ReadonlyMap<string, number>> | ReadonlyMap<string, number>
  /** Adds the states to objects, in their order. Missing states are read from the store. */
  withStates(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): StandingObject[] | Promise<StandingObject[]>
  /** `read`: the shared data that was read for this request. */
  listing<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null): Promise<Listings[Kind]>
  /** All objects with their states. Missing states are read from the store. */
  warm(): Promise<FleetObject[]>
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
  secret: Buffer,
): Fleet {
  let versions: Promise<Record<Topic, number>> | undefined
  /** The versions known from the store's changes. */
  const changedAt: Partial<Record<Topic, number>> = {}
  let objects: Promise<Map<number, OwnObject>> | undefined
  /** The same, once read. */
  let known: Map<number, OwnObject> | undefined
  let idents: ReadonlyMap<string, number> | undefined
  /** Grows with each change of states: a read under way may be older. */
  let statesChanges = 0
  let listings: Listed = {}

  function readVersions(): Promise<Record<Topic, number>> {
    versions ??= store.organizations.versions(organization.id).catch((error) => {
      versions = undefined
      throw error
    })
    return versions
  }

  function readObjects(): Promise<Map<number, OwnObject>> {
    // Read the versions first: a list may be newer than its tag, but never older.
    objects ??= readObjectsAnew()
    return objects
  }

  function readObjectsAnew(): Promise<Map<number, OwnObject>> {
    const reading = readVersions()
      .then(() => store.objects.list(organization.id))
      .then((list) => {
        const read = new Map<number, OwnObject>()
        for (const object of list) read.set(object.id, { object, existing: undefined })
        if (objects === reading) known = read
        return read
      })
    reading.catch(() => {
      if (objects === reading) objects = undefined
    })
    return reading
  }

  function standingOf(own: OwnObject, state: ObjectState): StandingObject {
    if (own.existing?.state !== state) own.existing = { object: own.object, state, made: {} }
    return own.existing
  }

  function withStates(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): StandingObject[] | Promise<StandingObject[]> {
    const found: StandingObject[] = []
    // Loop by index: an iterator of pairs makes an array for each pair.
    for (let i = 0; i < objects.length; i += 1) {
      const state = read?.kept[i]
      if (state === undefined) return fromStore(objects, read)
      found.push(standingOf(objects[i]!, state))
    }
    return found
  }

  /** Reads the missing states and keeps them. */
  async function fromStore(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): Promise<StandingObject[]> {
    const kept = read?.kept ?? []
    const missing = objects.filter((_, i) => kept[i] === undefined).map(({ object }) => object.id)
    const before = statesChanges
    const states = await store.positions.states(organization.id, missing)
    for (const id of missing) if (!states.has(id)) states.set(id, UNSEEN)
    if (read !== null && before === statesChanges) {
      await snapshots.fill(organization.id, states, read.version)
    }
    return objects.map((own, i) => standingOf(own, kept[i] ?? states.get(own.object.id)!))
  }

  async function everyObject(): Promise<FleetObject[]> {
    const all = [...(await readObjects()).values()]
    const ids = all.map(({ object }) => object.id)
    return withStates(all, await snapshots.read(organization.id, ids))
  }

  /** `states`: the part of the tag that stands for the states. */
  async function tagOf(kind: keyof Listings, states: string | null): Promise<string> {
    const read = await readVersions()
    const newest = (topic: Topic) => Math.max(read[topic], changedAt[topic] ?? 0)
    const parts: (string | number)[] = [organization.id, kind, newest(kind)]
    if (kind === 'objects') parts.push(states ?? newest('states'), organization.distanceUnit)
    // The tag is keyed, because sequences may count changes of other organizations.
    return createHmac('sha256', secret).update(parts.join(' ')).digest('base64url').slice(0, 22)
  }

  async function makeListing<Kind extends keyof Listings>(
    kind: Kind,
    version: string | null,
  ): Promise<Listings[Kind]> {
    return { tag: await tagOf(kind, version), items: readItems[kind] } as Listings[Kind]
  }

  const readItems: { [Kind in keyof Listings]: Listings[Kind]['items'] } = {
    objects: everyObject,
    geofences: () => store.geofences.list(organization.id),
    routes: () => store.routes.list(organization.id),
    sites: () => store.sites.list(organization.id),
  }

  return {
    organization,
    objects: () => known ?? readObjects(),
    idents() {
      if (known !== undefined && idents !== undefined) return idents
      return readObjects().then((read) => {
        const made = new Map(Array.from(read.values(), ({ object }) => [object.ident, object.id]))
        if (known === read) idents = made
        return made
      })
    },
    withStates,
    warm: everyObject,
    async listing(kind, read) {
      // While the shared states cannot be read, nothing reports their changes: read the versions again.
      const areChangesKnown = kind !== 'objects' || read !== null
      if (!areChangesKnown) versions = undefined
      const version = kind === 'objects' ? (read?.version ?? null) : null
      const kept: Listed = listings
      const existing = kept[kind]
      if (existing !== undefined && existing.version === version && areChangesKnown) {
        return existing.listing as Listings[typeof kind]
      }
      const listing = await makeListing(kind, version)
      ;(kept as Record<string, Listed[keyof Listings]>)[kind] = { version, listing }
      return listing
    },
    outdate({ topic, sequence }) {
      changedAt[topic] = sequence
      listings = {}
      if (topic === 'states') statesChanges += 1
      if (topic !== 'objects') return
      objects = undefined
      known = undefined
      idents = undefined
    },
  }
}

/** For each kind, the last listing and the version of the states in it. */
type Listed = {
  [Kind in keyof Listings]?: { version: string | null; listing: Listings[keyof Listings] }
}
