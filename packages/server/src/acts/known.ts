import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import type { Organization } from '../base/domain/organization.ts'
import {
  type KnownAddresses,
  type ObjectState,
  UNSEEN,
} from '../base/domain/position/object-state.ts'
import type { Store } from '../engine/store/store.ts'

/** The objects of an organization, by their ids. */
export type KnownFleet = {
  readonly organization: Organization
  objects(): Awaitable<ReadonlyMap<number, { readonly object: MonitoredObject }>>
  /** All objects with the states that are at hand. */
  warm(): Promise<readonly { object: MonitoredObject; state: ObjectState }[]>
  /** The states of those of the objects that have one, by default of all, as of everything that was committed. */
  committed(objects?: readonly number[]): Promise<ReadonlyMap<number, ObjectState>>
}
type Awaitable<Value> = Value | Promise<Value>

/** The knowledge of an act's process beyond its store: a server keeps fleets, and counts before it writes. */
export type Known = {
  /** The current fleet of an organization. Null: there is no such organization. */
  fleetOf(organization: number): Promise<KnownFleet | null>
  /** Finds addresses of positions that brought none. Null: only packets bring addresses. */
  addresses: KnownAddresses | null
  /** Writes what was counted and not written yet: requests, disclosures, and uses of keys and tokens. */
  writeCounts(): Promise<void>
}

/** A process that keeps nothing. */
export function storeAlone({ organizations, objects, positions }: Store): Known {
  return {
    async fleetOf(id) {
      const organization = await organizations.find(id)
      if (organization === null) return null
      const listed = () => objects.list(id)
      return {
        organization,
        objects: async () => new Map((await listed()).map((object) => [object.id, { object }])),
        async warm() {
          const all = await listed()
          const states = await positions.states(id)
          return all.map((object) => ({ object, state: states.get(object.id) ?? UNSEEN }))
        },
        committed: (wanted) => positions.states(id, wanted && [...wanted]),
      }
    },
    addresses: null,
    writeCounts: async () => {},
  }
}
