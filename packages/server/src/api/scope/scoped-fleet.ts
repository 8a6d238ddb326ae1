import { createHmac, type Hmac, type KeyObject } from 'node:crypto'
import type { Fleet, Listing, Listings, PublicAttributes } from '../../cache/fleet.ts'
import type { CachedObject, FleetObject, OwnObject, Roster } from '../../cache/fleet-objects.ts'
import { takeTurn } from '../../domain/common/slots.ts'
import type { ObjectState } from '../../domain/position/object-state.ts'
import type { StatesRead } from '../../live/realtime.ts'
import type { Narrowing } from './narrowing.ts'

/** The part of a fleet that operations read. */
export type ReadFleet = Pick<
  Fleet,
  'organization' | 'objects' | 'attributes' | 'states' | 'lastPositions' | 'listing' | 'withStates'
>

/** Reads the states of objects that a range of time bounds. */
export type ReadStates = (objects: readonly number[]) => Promise<ReadonlyMap<number, ObjectState>>

/** A fleet as if it had only what a scope opens. `sight` and `secret` go into the tag of its list. */
export function scopedFleet(
  fleet: Fleet,
  narrowing: Narrowing,
  readStates: ReadStates,
  { sight, secret }: { sight: string; secret: KeyObject },
): ReadFleet {
  const rosters = new WeakMap<Roster, Roster>()
  const attributesOf = new WeakMap<PublicAttributes, PublicAttributes>()
  let listed: Listing<FleetObject> | undefined

  function visible(all: Roster): Roster {
    const roster = rosters.get(all) ?? visibleRoster(narrowing, all)
    rosters.set(all, roster)
    return roster
  }

  function objects(): Roster | Promise<Roster> {
    const all = fleet.objects()
    return all instanceof Promise ? all.then(visible) : visible(all)
  }

  function attributes(): PublicAttributes | Promise<PublicAttributes> {
    const all = fleet.attributes()
    return all instanceof Promise ? all.then(visibleAttributes) : visibleAttributes(all)
  }

  function visibleAttributes(all: PublicAttributes): PublicAttributes {
    const seen = attributesOf.get(all) ?? narrowing.attributes(all)
    attributesOf.set(all, seen)
    return seen
  }

  async function bounded(own: readonly OwnObject[]): Promise<CachedObject[]> {
    const states = await readStates(own.map(({ object }) => object.id))
    return own.map(({ object }) => ({ object, state: states.get(object.id)!, made: {} }))
  }

  const join = (own: readonly OwnObject[], read: StatesRead | null) =>
    narrowing.times === null ? fleet.states.join(own, read) : bounded(own)
  const withStates = (own: readonly OwnObject[]): Promise<CachedObject[]> =>
    narrowing.times === null ? fleet.withStates(own) : bounded(own)

  /** The list is the same object while it shows the same, so that its body is kept with it. */
  async function objectListing(): Promise<Listing<FleetObject>> {
    const items = await withStates([...(await objects()).values()])
    const { distanceUnit } = fleet.organization
    const digest = createHmac('sha256', secret).update(`objects ${sight} ${distanceUnit}`)
    const tag = await tagOf(items, digest)
    if (listed?.tag !== tag) listed = { tag, items: () => onePage(items) }
    return listed
  }

  return {
    organization: fleet.organization,
    objects,
    attributes,
    states: { join },
    withStates,
    lastPositions: {
      // The last position of an object in a range of time is not the one that is kept: all are candidates.
      find: async (filter) =>
        narrowing.times === null ? fleet.lastPositions.find(filter) : [...(await objects()).keys()],
    },
    async listing<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null) {
      return kind === 'objects'
        ? ((await objectListing()) as Listings[Kind])
        : fleet.listing(kind, read)
    },
  }
}

function visibleRoster(narrowing: Narrowing, all: Roster): Roster {
  const { objects, times } = narrowing
  const ids = objects ?? [...all.keys()]
  const roster = new Map<number, OwnObject>()
  for (const id of ids) {
    const own = all.get(id)
    if (own === undefined) continue
    const bounded = { object: narrowing.object(own.object), existing: undefined }
    roster.set(id, times === null ? own : bounded)
  }
  return roster
}

async function* onePage<Item>(items: readonly Item[]) {
  yield items
}

/** Objects between which others have their turn: about 1 ms of work. */
const SLICE = 250

/** A tag of what is visible. The versions of the fleet would also change with what the key does not see. */
async function tagOf(items: readonly FleetObject[], digest: Hmac): Promise<string> {
  for (const [index, { object, state }] of items.entries()) {
    digest.update(JSON.stringify([object, state]))
    if (index % SLICE === SLICE - 1) await takeTurn()
  }
  return digest.digest('base64url').slice(0, 22)
}
