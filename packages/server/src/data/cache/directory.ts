import { takeTurn } from '../../base/domain/common/slots.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { type Change, type Store, StoreUnavailable } from '../../engine/store/store.ts'
import type { Snapshots } from '../live/realtime.ts'
import { type Fleet, openFleet } from './fleet-cache.ts'
import type { FleetObject } from './fleet-objects.ts'
import { type KeyRing, openKeyRing } from './key-ring.ts'
import { type KeptRouting, keptRouting } from './routing-cache.ts'

/**
 * The organizations, keys and fleets in memory, so that a request costs no SQL. The store's watch
 * reports which part is outdated. That part is read again when it is next needed.
 */
export type Directory = {
  readonly keys: KeyRing
  readonly feedTokens: KeyRing
  readonly links: KeyRing
  /** The feed tokens of the deployment, and whom their packets go to. */
  readonly deploymentTokens: KeyRing
  readonly routing: Pick<KeptRouting, 'owners' | 'rules'>
  /**
   * Call once at the start of each request. Afterwards everything is visible that was committed before it; with
   * PostgreSQL, what other processes committed up to a second before. Rejects with `StoreUnavailable`.
   */
  catchUp(): Promise<void> | undefined
  organization(id: number): Promise<Organization | null> | Organization | null
  /** All organizations as last read. A changed one is read again when it is asked for by id. */
  organizations(): Organization[]
  /** The ids of all organizations, including those whose change was never read. */
  organizationIds(): number[]
  fleet(organization: Organization): Fleet
  /**
   * The fleet of an organization by id, with the organization's current settings. Null if it does not
   * exist.
   */
  fleetOf(organization: number): Promise<Fleet | null> | Fleet | null
  /** Writes when keys were last used, unless the store is busy. */
  writeLastUses(): Promise<void>
  /** Whether the data in memory may be served: the store answers, or did so a short while ago. */
  isConfirmed(): boolean
  close(): Promise<void>
}

/** How long the data in memory is served while the store does not answer. */
const SERVED_ON_US = 60_000_000

export async function openDirectory(
  store: Store,
  snapshots: Snapshots,
  clock: Clock,
): Promise<Directory> {
  const fleets = new Map<number, Fleet>()
  const secret = await store.secret()
  const routing = keptRouting(store.routing)

  // Watch before the first read, so that no change between the two is missed.
  const { watch, passOn } = watchForLater(store)
  const onStates = statesIn(fleets, snapshots, watch.since)
  const confirmation = openConfirmation(watch, clock)
  const keys = await openKeyRing(store.keys)
  const feedTokens = await openKeyRing(store.feedTokens, true)
  const deploymentTokens = await openKeyRing(store.deploymentTokens, true)
  const links = await openKeyRing(store.links, true, (organization) =>
    store.links.active(clock.now(), organization),
  )
  const organizations = await keptOrganizations(store.organizations)
  const rings = { keys, feedTokens, deploymentTokens, links }
  passOn(listenerOf({ organizations, fleets, rings, routing, onStates }))

  function fleet(organization: Organization): Fleet {
    const { id } = organization
    const known = fleets.get(id)
    if (known?.organization === organization) return known
    const opened = openFleet(store, snapshots, organization, secret)
    // Requests that started before the change keep the old snapshot.
    if (organizations.isCurrent(organization)) fleets.set(id, opened)
    return opened
  }

  const fleetOrNull = (found: Organization | null) => (found === null ? null : fleet(found))

  async function writeLastUses(): Promise<void> {
    // If the store is busy, the next turn asks again.
    await Promise.allSettled(Object.values(rings).map((ring) => ring.writeLastUses()))
  }

  return {
    ...rings,
    routing,
    catchUp() {
      const outage = confirmation.ask()
      return outage === undefined ? readOutdated(Object.values(rings)) : Promise.reject(outage)
    },
    isConfirmed: () => confirmation.ask() === undefined,
    organization: organizations.find,
    writeLastUses,
    organizations: organizations.all,
    organizationIds: organizations.ids,
    fleet,
    fleetOf(id) {
      const known = fleets.get(id)
      if (known !== undefined) return known
      const found = organizations.find(id)
      return found instanceof Promise ? found.then(fleetOrNull) : fleetOrNull(found)
    },
    async close() {
      watch.close()
      await writeLastUses()
    },
  }
}

type Parts = {
  organizations: Awaited<ReturnType<typeof keptOrganizations>>
  fleets: Map<number, Fleet>
  rings: Pick<Directory, 'keys' | 'feedTokens' | 'deploymentTokens' | 'links'>
  routing: KeptRouting
  onStates: Listener
}

type Listener = (change: Change) => void | Promise<void>

/** Marks the part of a change as outdated. */
function listenerOf(parts: Parts): Listener {
  const { organizations, fleets, rings, routing, onStates } = parts
  return (change) => {
    if (change.organization === DEPLOYMENT) {
      if (change.topic === 'idents') return
      rings.deploymentTokens.outdate(DEPLOYMENT)
      routing.outdateRules()
      return
    }
    routing.outdate(change)
    switch (change.topic) {
      case 'organization':
        organizations.outdate(change.organization)
        fleets.delete(change.organization)
        break
      case 'keys':
        rings.keys.outdate(change.organization)
        break
      case 'feed_tokens':
        rings.feedTokens.outdate(change.organization)
        break
      case 'links':
        rings.links.outdate(change.organization)
        break
      case 'idents':
        break
      case 'states':
        return onStates(change)
      default:
        fleets.get(change.organization)?.outdate(change)
    }
  }
}

/** Watches the store from now on. Its changes wait until `passOn` says who gets them. */
function watchForLater(store: Store) {
  const early: Change[] = []
  let listener: Listener = (change) => {
    early.push(change)
  }
  return {
    watch: store.watch((change) => listener(change)),
    passOn(onChange: Listener): void {
      for (const change of early) void onChange(change)
      listener = onChange
    },
  }
}

/**
 * The listener for changes of states. `since`: the change at which the watch was opened. A change made by this process carries its
 * states. The store may report it again without them.
 */
function statesIn(
  fleets: ReadonlyMap<number, Fleet>,
  snapshots: Snapshots,
  since: number,
): Listener {
  /**
   * For each organization, the newest known change of its states. Without one, the states are as at the
   * start.
   */
  const statesAt = new Map<number, number>()

  return ({ organization, sequence, topic, stored }) => {
    const known = statesAt.get(organization) ?? since
    if (stored === undefined && sequence <= known) return
    statesAt.set(organization, Math.max(sequence, known))
    fleets.get(organization)?.outdate({ organization, sequence, topic })
    if (stored === undefined) return snapshots.outdate(organization, sequence)
    // Everything kept here was read after the watch was opened.
    const previous = stored.previous <= since ? 0 : stored.previous
    return snapshots.keep(organization, { sequence, previous, states: stored.states })
  }
}

/** `ask` asks the store what has changed. It returns the error if the store has not answered for too long. */
function openConfirmation(watch: ReturnType<Store['watch']>, clock: Clock): { ask(): unknown } {
  let confirmedUs = clock.monotonic()
  return {
    ask() {
      try {
        watch.catchUp()
        confirmedUs = clock.monotonic()
        return undefined
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        return clock.monotonic() - confirmedUs > SERVED_ON_US ? error : undefined
      }
    },
  }
}

function readOutdated(rings: readonly KeyRing[]): Promise<void> | undefined {
  const reading = rings.flatMap((ring) => ring.readOutdated() ?? [])
  return reading.length === 0 ? undefined : Promise.all(reading).then(() => undefined)
}

/** The organizations in memory. A changed one is read again when it is asked for. */
async function keptOrganizations(store: Store['organizations']) {
  const organizations = new Map<number, Organization>()
  const ids = new Set<number>()
  let changes = 0
  for (const organization of await store.list()) {
    organizations.set(organization.id, organization)
    ids.add(organization.id)
  }

  async function read(id: number): Promise<Organization | null> {
    const before = changes
    const organization = await store.find(id)
    // The organization changed during the read, so the result may be outdated.
    const isNewest = before === changes
    if (organization !== null && isNewest) organizations.set(id, organization)
    if (organization === null && isNewest) ids.delete(id)
    return organization
  }

  return {
    find: (id: number) => organizations.get(id) ?? read(id),
    all: () => [...organizations.values()],
    ids: () => [...ids],
    isCurrent: (organization: Organization) => organizations.get(organization.id) === organization,
    outdate(id: number): void {
      changes++
      organizations.delete(id)
      ids.add(id)
    },
  }
}

/**
 * Reads the data that requests will need, one organization in each turn. An embedded store answers
 * synchronously, so without turns nobody else would run until all are read. `read` gets each
 * organization's id and objects. `ended` ends the work before the next organization.
 */
export async function readAhead(
  directory: Directory,
  read: (organization: number, objects: FleetObject[]) => Promise<void> | undefined,
  ended: AbortSignal,
): Promise<void> {
  for (const organization of directory.organizations()) {
    await takeTurn()
    if (ended.aborted) return
    await read(organization.id, await directory.fleet(organization).warm())
  }
}
