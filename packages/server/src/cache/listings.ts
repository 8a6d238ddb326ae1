import { createHmac, type KeyObject } from 'node:crypto'
import type { Items, ListTopic } from '../domain/items.ts'
import type { Organization } from '../domain/organization.ts'
import type { StatesRead } from '../live/realtime.ts'
import type { TextsOf } from '../store/store.ts'
import type { FleetObject } from './fleet-object.ts'
import type { Versions } from './versions.ts'

/** All items of one kind of an organization at one moment. */
export type Listing<Item> = {
  /** An opaque tag that changes whenever the list does. Getting it does not read the items. */
  readonly tag: string
  /** By id, ascending, some at a time. */
  items(): AsyncIterable<readonly Item[]>
}

export type Listings = { objects: Listing<FleetObject> } & {
  [Topic in ListTopic]: Listing<TextsOf<Items[Topic]>>
}

export type ReadItems = { [Kind in keyof Listings]: Listings[Kind]['items'] }
export type ReadLists = Omit<ReadItems, 'objects'>

/** The lists of an organization. The same listing is returned until the list changes. */
export type KeptListings = {
  /** `read`: the shared data that was read for this request. */
  find<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null): Promise<Listings[Kind]>
  outdate(): void
}

/** For each kind, the last listing and the version of the states in it. */
type Listed = {
  [Kind in keyof Listings]?: { version: string | null; listing: Listings[Kind] }
}

export function keptListings(
  { id, distanceUnit }: Organization,
  secret: KeyObject,
  versions: Versions,
  readItems: ReadItems,
): KeptListings {
  let listed: Listed = {}

  /** `states`: the part of the tag that stands for the states. */
  async function tagOf(kind: keyof Listings, states: string | null): Promise<string> {
    const newest = await versions.read()
    const parts: (string | number)[] = [id, kind, newest(kind)]
    if (kind === 'objects') parts.push(states ?? newest('states'), distanceUnit)
    // The tag is keyed, because sequences may count changes of other organizations.
    return createHmac('sha256', secret).update(parts.join(' ')).digest('base64url').slice(0, 22)
  }

  return {
    async find(kind, read) {
      // While the shared states cannot be read, nothing reports their changes: read the versions again.
      const areChangesKnown = kind !== 'objects' || read !== null
      if (!areChangesKnown) versions.forget()
      const version = kind === 'objects' ? (read?.version ?? null) : null
      const kept = listed
      const existing = kept[kind]
      if (existing?.version === version && areChangesKnown) return existing.listing
      const listing = { tag: await tagOf(kind, version), items: readItems[kind] }
      Object.assign(kept, { [kind]: { version, listing } })
      return listing as Listings[typeof kind]
    },
    outdate() {
      listed = {}
    },
  }
}
