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

/** One that stays until a newer one takes its place, and with it what was made of it for answers. */
export type StandingObject = FleetObject & { readonly made: MadeOfObject }
export type MadeOfObject = {
  detail?: { body: string; bytes: number; tag: string }
  latest?: Buffer
}

/** An object that the organization has, before it is asked where it is. */
export type OwnObject = {
  readonly object: TrackedObject
  /** With the newest state that it was asked with. */
  standing: StandingObject | undefined
}

export type Roster = ReadonlyMap<number, OwnObject>

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
  /** All that the organization has, by id: the same map until they change. */
  objects(): Roster | Promise<Roster>
  /** By ident, the ids of all objects. */
  idents(): Promise<ReadonlyMap<string, number>> | ReadonlyMap<string, number>
  /** Each object with its state, in their order: as it was read, and from the store where it was not. */
  withStates(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): StandingObject[] | Promise<StandingObject[]>
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
  let objects: Promise<Map<number, OwnObject>> | undefined
  /** The same, once they are read. */
  let known: Map<number, OwnObject> | undefined
  let idents: ReadonlyMap<string, number> | undefined
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

  function readObjects(): Promise<Map<number, OwnObject>> {
    // The versions first: a list may be newer than its tag says, and must never be older.
    objects ??= readObjectsAnew()
    return objects
  }

  function readObjectsAnew(): Promise<Map<number, OwnObject>> {
    const reading = readVersions()
      .then(() => store.objects.list(organization.id))
      .then((list) => {
        const read = new Map<number, OwnObject>()
        for (const object of list) read.set(object.id, { object, standing: undefined })
        if (objects === reading) known = read
        return read
      })
    reading.catch(() => {
      if (objects === reading) objects = undefined
    })
    return reading
  }

  function standingOf(own: OwnObject, state: ObjectState): StandingObject {
    if (own.standing?.state !== state) own.standing = { object: own.object, state, made: {} }
    return own.standing
  }

  function withStates(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): StandingObject[] | Promise<StandingObject[]> {
    const found: StandingObject[] = []
    // By their index, since an iterator of pairs makes an array of each.
    for (let i = 0; i < objects.length; i += 1) {
      const state = read?.kept[i]
      if (state === undefined) return fromStore(objects, read)
      found.push(standingOf(objects[i]!, state))
    }
    return found
  }

  /** What is not kept is read, and kept. */
  async function fromStore(
    objects: readonly OwnObject[],
    read: StatesRead | null,
  ): Promise<StandingObject[]> {
    const kept = read?.kept ?? []
    const missing = objects.filter((_, i) => kept[i] === undefined).map(({ object }) => object.id)
    const told = statesTold
    const states = await store.positions.states(organization.id, missing)
    for (const id of missing) if (!states.has(id)) states.set(id, UNSEEN)
    if (read !== null && told === statesTold) {
      await snapshots.fill(organization.id, states, read.version)
    }
    return objects.map((own, i) => standingOf(own, kept[i] ?? states.get(own.object.id)!))
  }

  async function everyObject(): Promise<FleetObject[]> {
    const all = [...(await readObjects()).values()]
    const ids = all.map(({ object }) => object.id)
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
    },
  }
}

/** Of each kind, the listing that was last made, and the version of the states that it shows. */
type Listed = {
  [Kind in keyof Listings]?: { version: string | null; listing: Listings[keyof Listings] }
}
