import { createHmac } from 'node:crypto'
import { type ObjectState, UNSEEN } from '../domain/object-state.ts'
import type { Organization } from '../domain/organization.ts'
import type { Geofence, Route, Site } from '../domain/place.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import type { Change, Store, Topic } from '../store/store.ts'

/** An object and what was known of it at one moment. Never changed: a newer one takes its place. */
export type FleetObject = {
  readonly object: TrackedObject
  readonly state: Readonly<ObjectState>
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
  owns(id: number): Promise<boolean>
  /** Those of the ids that the organization has, in the order asked. */
  owned(ids: number[]): Promise<number[]>
  /** The object where all of it is at hand; undefined says nothing. */
  known(id: number): FleetObject | undefined
  object(id: number): Promise<FleetObject | undefined>
  /** What is known of those of the ids that the organization has, in the order asked. */
  objectsOf(ids: number[]): Promise<FleetObject[]>
  listing<Kind extends keyof Listings>(kind: Kind): Promise<Listings[Kind]>
  outdate(change: Change): void
}

export function openFleet(store: Store, organization: Organization, secret: Buffer): Fleet {
  let versions: Promise<Record<Topic, number>> | undefined
  /** The changes of which the store has told since. */
  const told: Partial<Record<Topic, number>> = {}
  let objects: Promise<Map<number, TrackedObject>> | undefined
  let snapshots = new Map<number, FleetObject>()
  let listings: Partial<Listings> = {}

  function readVersions(): Promise<Record<Topic, number>> {
    versions ??= store.organizations.versions(organization.id).catch((error) => {
      versions = undefined
      throw error
    })
    return versions
  }

  function readObjects(): Promise<Map<number, TrackedObject>> {
    // The versions first: a list may be newer than its tag says, and must never be older.
    objects ??= readVersions()
      .then(() => store.objects.list(organization.id))
      .then(
        (list) => new Map(list.map((object) => [object.id, object])),
        (error) => {
          objects = undefined
          throw error
        },
      )
    return objects
  }

  async function object(id: number): Promise<FleetObject | undefined> {
    const known = snapshots.get(id)
    if (known !== undefined) return known
    return (await objectsOf([id]))[0]
  }

  async function objectsOf(ids: number[]): Promise<FleetObject[]> {
    const kept = snapshots
    const all = await readObjects()
    const own = ids.filter((id) => all.has(id))
    const unknown = own.filter((id) => !kept.has(id))
    const states =
      unknown.length > 0 ? await store.positions.states(organization.id, unknown) : undefined
    return own.map((id) => {
      const known = kept.get(id)
      if (known !== undefined) return known
      const read = { object: all.get(id)!, state: states?.get(id) ?? UNSEEN }
      kept.set(id, read)
      return read
    })
  }

  async function everyObject(): Promise<FleetObject[]> {
    const all = await readObjects()
    const states = await store.positions.states(organization.id)
    return Array.from(all.values(), (object) => ({
      object,
      state: states.get(object.id) ?? UNSEEN,
    }))
  }

  async function tagOf(kind: keyof Listings): Promise<string> {
    const read = await readVersions()
    const newest = (topic: Topic) => Math.max(read[topic], told[topic] ?? 0)
    const parts: (string | number)[] = [organization.id, kind, newest(kind)]
    if (kind === 'objects') parts.push(newest('states'), organization.distanceUnit)
    // Sealed, since sequences count every change of the deployment, other organizations' too.
    return createHmac('sha256', secret).update(parts.join(' ')).digest('base64url').slice(0, 22)
  }

  const readItems: { [Kind in keyof Listings]: Listings[Kind]['items'] } = {
    objects: everyObject,
    geofences: () => store.geofences.list(organization.id),
    routes: () => store.routes.list(organization.id),
    sites: () => store.sites.list(organization.id),
  }

  return {
    organization,
    async owns(id) {
      return (await readObjects()).has(id)
    },
    async owned(ids) {
      const all = await readObjects()
      return ids.filter((id) => all.has(id))
    },
    known: (id) => snapshots.get(id),
    object,
    objectsOf,
    async listing(kind) {
      const kept: Partial<Listings> = listings
      const standing = kept[kind] as Listings[typeof kind] | undefined
      if (standing !== undefined) return standing
      const tag = await tagOf(kind)
      const listing = { tag, items: readItems[kind] } as Listings[typeof kind]
      kept[kind] ??= listing
      return kept[kind] as Listings[typeof kind]
    },
    outdate({ topic, sequence }) {
      told[topic] = sequence
      listings = {}
      if (topic === 'objects' || topic === 'states') snapshots = new Map()
      if (topic === 'objects') objects = undefined
    },
  }
}
