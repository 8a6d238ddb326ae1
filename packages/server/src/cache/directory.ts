import { takeTurn } from '../domain/common/turn.ts'
import type { Organization } from '../domain/organization.ts'
import { DEPLOYMENT } from '../domain/routing.ts'
import type { Clock } from '../domain/time/clock.ts'
import type { Snapshots } from '../live/realtime.ts'
import { type Change, type Store, StoreUnavailable } from '../store/store.ts'
import { type Fleet, openFleet } from './fleet.ts'
import type { FleetObject } from './fleet-objects.ts'
import { type KeyRing, openKeyRing } from './key-ring.ts'
import { type KeptRouting, keptRouting } from './routing.ts'

/**
 * The organizations, keys and fleets in memory, so that a request costs no SQL. The store's watch
 * reports which part is outdated. That part is read again when it is next needed.
 */
export type Directory = {
  readonly keys: KeyRing
  readonly feedTokens: KeyRing
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
  const organizations = new Map<number, Organization>()
  const organizationIds = new Set<number>()
  const fleets = new Map<number, Fleet>()
  /**
   * For each organization, the newest known change of its states. Without one, the states are as at the
   * start.
   */
  const statesAt = new Map<number, number>()
  let organizationChanges = 0
  const secret = await store.secret()
  const routing = keptRouting(store.routing)
  let confirmedUs = clock.monotonic()

  function onChange(change: Change): void | Promise<void> {
    if (change.organization === DEPLOYMENT) {
      deploymentTokens.outdate(DEPLOYMENT)
      routing.outdateRules()
      return
    }
    routing.outdate(change)
    switch (change.topic) {
      case 'organization':
        organizationChanges++
        organizations.delete(change.organization)
        organizationIds.add(change.organization)
        fleets.delete(change.organization)
        break
      case 'keys':
        keys.outdate(change.organization)
        break
      case 'feed_tokens':
        feedTokens.outdate(change.organization)
        break
      case 'states':
        return onStates(change)
      default:
        fleets.get(change.organization)?.outdate(change)
    }
  }

  /** A change made by this process carries its states. The store may report it again without them. */
  function onStates({ organization, sequence, topic, stored }: Change): void | Promise<void> {
    const known = statesAt.get(organization) ?? watch.since
    if (stored === undefined && sequence <= known) return
    statesAt.set(organization, Math.max(sequence, known))
    fleets.get(organization)?.outdate({ organization, sequence, topic })
    if (stored === undefined) return snapshots.outdate(organization, sequence)
    // Everything kept here was read after the watch was opened.
    const previous = stored.previous <= watch.since ? 0 : stored.previous
    return snapshots.keep(organization, { sequence, previous, states: stored.states })
  }

  // Watch before the first read, so that no change between the two is missed.
  const early: Change[] = []
  let listener = (change: Change): void | Promise<void> => {
    early.push(change)
  }
  const watch = store.watch((change) => listener(change))
  const keys = await openKeyRing(store.keys)
  const feedTokens = await openKeyRing(store.feedTokens)
  const deploymentTokens = await openKeyRing(store.deploymentTokens)
  const rings = [keys, feedTokens, deploymentTokens]
  for (const organization of await store.organizations.list()) {
    organizations.set(organization.id, organization)
    organizationIds.add(organization.id)
  }
  for (const change of early) void onChange(change)
  listener = onChange

  async function readOrganization(id: number): Promise<Organization | null> {
    const changes = organizationChanges
    const organization = await store.organizations.find(id)
    // The organization changed during the read, so the result may be outdated.
    const isNewest = changes === organizationChanges
    if (organization !== null && isNewest) organizations.set(id, organization)
    if (organization === null && isNewest) organizationIds.delete(id)
    return organization
  }

  function findOrganization(id: number): Promise<Organization | null> | Organization | null {
    return organizations.get(id) ?? readOrganization(id)
  }

  function fleet(organization: Organization): Fleet {
    const { id } = organization
    const known = fleets.get(id)
    if (known?.organization === organization) return known
    const opened = openFleet(store, snapshots, organization, secret)
    // Requests that started before the change keep the old snapshot.
    if (organizations.get(id) === organization) fleets.set(id, opened)
    return opened
  }

  function fleetOrNull(organization: Organization | null): Fleet | null {
    return organization === null ? null : fleet(organization)
  }

  /** Asks the store what has changed. Returns the error if the store does not answer. */
  function confirm(): unknown {
    try {
      watch.catchUp()
      confirmedUs = clock.monotonic()
      return undefined
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return clock.monotonic() - confirmedUs > SERVED_ON_US ? error : undefined
    }
  }

  function readOutdatedKeys(): Promise<void> | undefined {
    const reading = rings.flatMap((ring) => ring.readOutdated() ?? [])
    return reading.length === 0 ? undefined : Promise.all(reading).then(() => undefined)
  }

  async function writeLastUses(): Promise<void> {
    // If the store is busy, the next turn asks again.
    await Promise.allSettled(rings.map((ring) => ring.writeLastUses()))
  }

  return {
    keys,
    feedTokens,
    deploymentTokens,
    routing,
    catchUp() {
      const outage = confirm()
      return outage === undefined ? readOutdatedKeys() : Promise.reject(outage)
    },
    isConfirmed: () => confirm() === undefined,
    organization: findOrganization,
    writeLastUses,
    organizations: () => [...organizations.values()],
    organizationIds: () => [...organizationIds],
    fleet,
    fleetOf(id) {
      const known = fleets.get(id)
      if (known !== undefined) return known
      const found = findOrganization(id)
      if (found instanceof Promise) return found.then(fleetOrNull)
      return fleetOrNull(found)
    },
    async close() {
      watch.close()
      await writeLastUses()
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
