import { createHmac } from 'node:crypto'
import { type ObjectState, UNSEEN } from '../domain/object-state.ts'
import type { Organization } from '../domain/organization.ts'
import type { Geofence, Route, Site } from '../domain/place.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'
import type { Kept, Snapshots } from '../realtime/realtime.ts'
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
  owns(id: number): Promise<boolean>
  /** By ident, the ids of all objects. */
  idents(): Promise<ReadonlyMap<string, number>> | ReadonlyMap<string, number>
  /** Those of the ids that the organization has, in the order asked. */
  owned(ids: number[]): Promise<number[]>
  /** The object where all of it is at hand; undefined says nothing. */
  known(id: number): FleetObject | undefined
  object(id: number): Promise<FleetObject | undefined>
  /** What is known of those of the ids that the organization has, in the order asked. */
  objectsOf(ids: number[]): Promise<FleetObject[]>
  listing<Kind extends keyof Listings>(kind: Kind): Promise<Listings[Kind]>
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

  function knownPair(id: number): FleetObject | undefined {
    const object = known?.get(id)
    if (object === undefined) return undefined
    const kept = snapshots.read(organization.id, [id])
    return Array.isArray(kept) && kept[0] !== undefined ? pairOf(object, kept[0]) : undefined
  }

  /** What is not kept is read, and kept. */
  async function statesOf(ids: readonly number[]): Promise<Kept[]> {
    const kept = await snapshots.read(organization.id, ids)
    const missing = ids.filter((_, index) => kept[index] === undefined)
    if (missing.length === 0) return kept
    const told = statesTold
    const read = await store.positions.states(organization.id, missing)
    for (const id of missing) if (!read.has(id)) read.set(id, UNSEEN)
    if (told === statesTold) await snapshots.fill(organization.id, read)
    return ids.map((id, index) => kept[index] ?? read.get(id))
  }

  async function objectsOf(ids: readonly number[]): Promise<FleetObject[]> {
    const all = await readObjects()
    const own = ids.filter((id) => all.has(id))
    const states = await statesOf(own)
    return own.map((id, index) => pairOf(all.get(id)!, states[index]!))
  }

  async function everyObject(): Promise<FleetObject[]> {
    return objectsOf([...(await readObjects()).keys()])
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
    idents() {
      if (known !== undefined && idents !== undefined) return idents
      return readObjects().then((read) => {
        const made = new Map(Array.from(read.values(), ({ id, ident }) => [ident, id]))
        if (known === read) idents = made
        return made
      })
    },
    async owned(ids) {
      const all = await readObjects()
      return ids.filter((id) => all.has(id))
    },
    known: knownPair,
    async object(id) {
      return knownPair(id) ?? (await objectsOf([id]))[0]
    },
    objectsOf,
    warm: everyObject,
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
      if (topic === 'states') statesTold += 1
      if (topic !== 'objects') return
      objects = undefined
      known = undefined
      idents = undefined
      pairs.clear()
    },
  }
}
