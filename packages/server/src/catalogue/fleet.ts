import { createHmac } from 'node:crypto'
import { type ObjectState, UNSEEN } from '../domain/object-state.ts'
import type { Organization } from '../domain/organization.ts'
import type { Geofence, Route, Site } from '../domain/place.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import type { Snapshots, StatesRead } from '../realtime/realtime.ts'
import type { Change, Store, Topic } from '../store/store.ts'

/** An object and what was known of it at one moment. Never changed: a newer one takes its place. */
export type FleetObject = {
  readonly object: TrackedObject
  readonly state: ObjectState
}

/** All of one kind that an organization has, as of one moment. */
export type Listing<Item> = {
  /** Opaque; equal only while the list is. Costs no read of the items. */
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

/** One organization's fleet, read when first asked for and kept until the store tells of a change. */
export type Fleet = {
  /** Whose it is, as of when it was opened: with another distance unit it would be another fleet. */
  readonly organization: Organization
  /** Those of the ids that the organization has, in the order asked. */
  find(ids: readonly number[]): TrackedObject[] | Promise<TrackedObject[]>
  /** By ident, the ids of all objects. */
  idents(): Promise<ReadonlyMap<string, number>> | ReadonlyMap<string, number>
  /** Each object with its state, in their order: as it was read, and from the store where it was not. */
  withStates(
    objects: readonly TrackedObject[],
    read: StatesRead | null,
  ): FleetObject[] | Promise<FleetObject[]>
  /** `read`: what was read of what is shared at the time of the request. */
  listing<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null): Promise<Listings[Kind]>
  /** Every object, the state of each read where nothing is kept of it. */
  warm(): Promise<FleetObject[]>
  /** What was read no longer holds; states are the snapshots' concern, but for the list's tag. */
  outdate(change: Change): void
}

export function openFleet(
  store: Store,
  snapshots: Snapshots,
  organization: Organization,
  secret: Buffer,
): Fleet {
  let versions: Promise<Record<Topic, number>> | undefined
  /** The changes of which the store has told since. */
  const told: Partial<Record<Topic, number>> = {}
  let objects: Promise<Map<number, TrackedObject>> | undefined
  /** The same, once they are read. */
  let known: Map<number, TrackedObject> | undefined
  let idents: ReadonlyMap<string, number> | undefined
  /** Each with the newest state it was asked with, so that what is made of the pair can be kept with it. */
  const pairs = new Map<number, FleetObject>()
  /** Grows when states are told to have changed: what is being read then may be older. */
  let statesTold = 0
  let listings: Listed = {}

  function readVersions(): Promise<Record<Topic, number>> {
    versions ??= store.organizations.versions(organization.id).catch((error) => {
      versions = undefined
      throw error
    })
    return versions
  }

  function readObjects(): Promise<Map<number, TrackedObject>> {
    // The versions first: a list may be newer than its tag says, and must never be older.
    objects ??= readObjectsAnew()
    return objects
  }

  function readObjectsAnew(): Promise<Map<number, TrackedObject>> {
    const reading = readVersions()
      .then(() => store.objects.list(organization.id))
      .then((list) => {
        const read = new Map(list.map((object) => [object.id, object]))
        if (objects === reading) known = read
        return read
      })
    reading.catch(() => {
      if (objects === reading) objects = undefined
    })
    return reading
  }

  function pairOf(object: TrackedObject, state: ObjectState): FleetObject {
    const standing = pairs.get(object.id)
    if (standing?.state === state && standing.object === object) return standing
    const pair = { object, state }
    pairs.set(object.id, pair)
    return pair
  }

  function withStates(
    objects: readonly TrackedObject[],
    read: StatesRead | null,
  ): FleetObject[] | Promise<FleetObject[]> {
    const kept = read?.kept ?? []
    const found = objects.map((object, index) => {
      const state = kept[index]
      return state === undefined ? undefined : pairOf(object, state)
    })
    return found.includes(undefined) ? fromStore(objects, found, read) : (found as FleetObject[])
  }

  /** What is not kept is read, and kept. */
  async function fromStore(
    objects: readonly TrackedObject[],
    found: (FleetObject | undefined)[],
    read: StatesRead | null,
  ): Promise<FleetObject[]> {
    const missing = objects.filter((_, index) => found[index] === undefined).map(({ id }) => id)
    const told = statesTold
    const states = await store.positions.states(organization.id, missing)
    for (const id of missing) if (!states.has(id)) states.set(id, UNSEEN)
    if (read !== null && told === statesTold) {
      await snapshots.fill(organization.id, states, read.version)
    }
    return objects.map((object, index) => found[index] ?? pairOf(object, states.get(object.id)!))
  }

  async function everyObject(): Promise<FleetObject[]> {
    const all = [...(await readObjects()).values()]
    const ids = all.map(({ id }) => id)
    return withStates(all, await snapshots.read(organization.id, ids))
  }

  /** `states`: what of the tag tells of the states. */
  async function tagOf(kind: keyof Listings, states: string | null): Promise<string> {
    const read = await readVersions()
    const newest = (topic: Topic) => Math.max(read[topic], told[topic] ?? 0)
    const parts: (string | number)[] = [organization.id, kind, newest(kind)]
    if (kind === 'objects') parts.push(states ?? newest('states'), organization.distanceUnit)
    // Sealed, since sequences may count every change of the deployment, other organizations' too.
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
    find(ids) {
      const ownedOf = (all: ReadonlyMap<number, TrackedObject>) => {
        const own = ids.map((id) => all.get(id))
        return own.filter((object) => object !== undefined)
      }
      return known === undefined ? readObjects().then(ownedOf) : ownedOf(known)
    },
    idents() {
      if (known !== undefined && idents !== undefined) return idents
      return readObjects().then((read) => {
        const made = new Map(Array.from(read.values(), ({ id, ident }) => [ident, id]))
        if (known === read) idents = made
        return made
      })
    },
    withStates,
    warm: everyObject,
    async listing(kind, read) {
      // Nobody tells then whether states have changed.
      const isTold = kind !== 'objects' || read !== null
      if (!isTold) versions = undefined
      const version = kind === 'objects' ? (read?.version ?? null) : null
      const kept: Listed = listings
      const standing = kept[kind]
      if (standing !== undefined && standing.version === version && isTold) {
        return standing.listing as Listings[typeof kind]
      }
      const listing = await makeListing(kind, version)
      ;(kept as Record<string, Listed[keyof Listings]>)[kind] = { version, listing }
      return listing
    },
    outdate({ topic, sequence }) {
      told[topic] = sequence
      listings = {}
      if (topic === 'states') statesTold += 1
      if (topic !== 'objects') return
      objects = undefined
      known = undefined
      idents = undefined
      pairs.clear()
    },
  }
}

/** Of each kind, the listing that was last made, and the version of the states that it shows. */
type Listed = {
  [Kind in keyof Listings]?: { version: string | null; listing: Listings[keyof Listings] }
}
