import type { Clock } from '../domain/clock.ts'
import { idMap } from '../domain/id-map.ts'
import type { Organization } from '../domain/organization.ts'
import type { Snapshots } from '../realtime/realtime.ts'
import { type Change, type Store, StoreUnavailable } from '../store/store.ts'
import { type Fleet, openFleet } from './fleet.ts'
import { type KeyRing, openKeyRing } from './key-ring.ts'

/**
 * What this process knows of every organization, in memory, so that a request costs no SQL. The
 * store's change feed says what of it no longer holds; that part is read anew when next asked for.
 */
export type Catalogue = {
  readonly keys: KeyRing
  readonly feedTokens: KeyRing
  /**
   * To be awaited once at the start of each request: afterwards everything that was committed
   * before the request came is seen. Rejects with `StoreUnavailable`.
   */
  catchUp(): Promise<void> | undefined
  organization(id: number): Promise<Organization | null> | Organization | null
  /** Every organization, as it was last read; one that was changed since is read when it is asked for. */
  organizations(): Organization[]
  /** Of every organization that there is, those among them that were told of and never asked for. */
  organizationIds(): number[]
  fleet(organization: Organization): Fleet
  /** The same by its id, with the organization as it stands; null where there is none. */
  fleetOf(organization: number): Promise<Fleet | null> | Fleet | null
  /** Writes when keys were last used, as far as the store has time for it just now. */
  writeLastUses(): Promise<void>
  /** Whether what is known may be served: the store answers, or did so a short while ago. */
  isConfirmed(): boolean
  close(): Promise<void>
}

/** How long what is known is served on while the store does not answer. */
const SERVED_ON_US = 60_000_000

export async function openCatalogue(
  store: Store,
  snapshots: Snapshots,
  clock: Clock,
): Promise<Catalogue> {
  const organizations = idMap<Organization>()
  const organizationIds = new Set<number>()
  const fleets = idMap<Fleet>()
  /** By organization, the newest change of its states that was told; before the first, all are as of the start. */
  const statesAt = new Map<number, number>()
  let organizationChanges = 0
  const secret = await store.secret()
  let confirmedUs = clock.monotonic()

  function onChange(change: Change): void | Promise<void> {
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

  /** A change of this process brings its states along, and may be told once more without them. */
  function onStates({ organization, sequence, topic, stored }: Change): void | Promise<void> {
    const known = statesAt.get(organization) ?? watch.since
    if (stored === undefined && sequence <= known) return
    statesAt.set(organization, Math.max(sequence, known))
    fleets.get(organization)?.outdate({ organization, sequence, topic })
    if (stored === undefined) return snapshots.outdate(organization, sequence)
    // All that is kept here was read after the feed was opened.
    const previous = stored.previous <= watch.since ? 0 : stored.previous
    return snapshots.keep(organization, { sequence, previous, states: stored.states })
  }

  // The feed is opened before the first read, so that no change between the two is missed.
  const early: Change[] = []
  let listener = (change: Change): void | Promise<void> => {
    early.push(change)
  }
  const watch = store.watch((change) => listener(change))
  const keys = await openKeyRing(store.keys)
  const feedTokens = await openKeyRing(store.feedTokens)
  for (const organization of await store.organizations.list()) {
    organizations.set(organization.id, organization)
    organizationIds.add(organization.id)
  }
  for (const change of early) void onChange(change)
  listener = onChange

  async function readOrganization(id: number): Promise<Organization | null> {
    const changes = organizationChanges
    const organization = await store.organizations.find(id)
    // What changed while it was being read may have been read as it was before.
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
    // Who still holds what an organization was before a change has a fleet to himself.
    if (organizations.get(id) === organization) fleets.set(id, opened)
    return opened
  }

  function fleetOrNull(organization: Organization | null): Fleet | null {
    return organization === null ? null : fleet(organization)
  }

  /** Asks the store what has changed; what it raises where it does not answer. */
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
    const reading = [keys, feedTokens].flatMap((ring) => ring.readOutdated() ?? [])
    return reading.length === 0 ? undefined : Promise.all(reading).then(() => undefined)
  }

  async function writeLastUses(): Promise<void> {
    // A store that is busy is asked again at the next turn.
    await Promise.allSettled([keys, feedTokens].map((ring) => ring.writeLastUses()))
  }

  return {
    keys,
    feedTokens,
    catchUp() {
      const outage = confirm()
      return outage === undefined ? readOutdatedKeys() : Promise.reject(outage)
    },
    isConfirmed: () => confirm() === undefined,
    organization: findOrganization,
    writeLastUses,
    organizations: () => Array.from(organizations.entries(), ([, organization]) => organization),
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
