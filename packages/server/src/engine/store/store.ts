import type { KeyObject } from 'node:crypto'
import { ITEM_TOPICS } from '../../base/domain/item-rules.ts'
import type { Organization, OrganizationSettings } from '../../base/domain/organization.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import type { AccessStore, AccountStore, AttemptStore } from './access-store.ts'
import type { AuditStore, DisclosureStore, Note, UsageStore } from './audit-store.ts'
import type { ChangeLogStore } from './change-log.ts'
import type {
  AttributeStore,
  ListStores,
  ObjectStore,
  RefusedIdentStore,
  SavedMappingStore,
} from './item-store.ts'
import type { ApiKeyStore, KeyStore, LinkStore, RoutingStore } from './key-store.ts'
import type { PositionStore } from './position-store.ts'
import type { CoverageStore, RecordStore } from './record-store.ts'
import type { WebhookStore } from './webhook-store.ts'

/**
 * The port to lasting data. Every call on an organization's data takes the organization's id, and treats
 * rows of other organizations as missing. When a promise resolves, its writes are durable. An adapter
 * that cannot answer rejects with `StoreUnavailable`. The adapters begin in `data/sqlite/open.ts` and
 * `data/postgres/open.ts`.
 */
export interface Store extends ListStores {
  readonly organizations: OrganizationStore
  /** Credentials for the API and for the feed. */
  readonly keys: ApiKeyStore
  readonly feedTokens: KeyStore
  /** Links: secrets in URLs of pages for viewers. */
  readonly links: LinkStore
  /** Feed tokens of the deployment. They take `DEPLOYMENT` as the id of their organization. */
  readonly deploymentTokens: KeyStore
  readonly objects: ObjectStore
  readonly refusedIdents: RefusedIdentStore
  readonly routing: RoutingStore
  readonly savedMappings: SavedMappingStore
  readonly attributes: AttributeStore
  readonly positions: PositionStore
  readonly changeLog: ChangeLogStore
  readonly accounts: AccountStore
  readonly access: AccessStore
  readonly attempts: AttemptStore
  readonly audit: AuditStore
  readonly usage: UsageStore
  readonly disclosures: DisclosureStore
  readonly webhooks: WebhookStore
  readonly records: RecordStore
  readonly coverage: CoverageStore
  /** 32 random bytes, made once for the deployment. Cursors and entity tags are sealed with them. */
  secret(): Promise<KeyObject>
  /** Reports every change, whichever connection or process made it. */
  watch(listener: ChangeListener): Watch
  /**
   * Makes a consistent copy of everything in an empty folder, while others read and write. `beside` adds other files
   * to the folder before the copy gets its final name.
   */
  backup(
    folder: string,
    progress?: (done: number, total: number) => void,
    beside?: () => Promise<void>,
  ): Promise<void>
  close(): Promise<void>
}

export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The part of an organization that changed. */
export const TOPICS = [
  'organization',
  'keys',
  'feed_tokens',
  'links',
  ...ITEM_TOPICS,
  'states',
  'attributes',
  'webhooks',
  'records',
  'idents',
] as const

export type Topic = (typeof TOPICS)[number]

/** A change that wrote more positions is an import or an upload of old packets, which readers look up in the store. */
export const MAX_REPORTED = 200

/** A position as answers show it: its fix record with all shifts; null if the history hides it. */
export type ShownPosition = { object: number; time: number; record: Uint8Array | null }

/**
 * A change of a topic, as watchers get it. `DEPLOYMENT` instead of an organization, with the topic `feed_tokens`: its
 * tokens or its rules. `sequence` grows with every change of its organization and survives
 * restarts. The change log has numbers of its own. `idents`: an assignment gave the organization an ident, or took one
 * away. This topic has the numbers of `DEPLOYMENT`.
 */
export type Change = {
  organization: number
  topic: Topic
  sequence: number
  /**
   * Only for the topic `states`, and only if this store object made the change: the new states, reported
   * right after the commit, and the number of the topic's change before this one (0 if none). A holder of
   * all states as of `previous` now holds all states as of this change. `logged`: its number in the change log.
   * `positions`: those that it wrote, if it only took packets and wrote at most `MAX_REPORTED`; none otherwise.
   */
  stored?: {
    states: Map<number, ObjectState>
    previous: number
    logged: number
    positions(): ShownPosition[]
  }
}

/**
 * The result is awaited before the write resolves, if this store object made the change. It must not
 * reject.
 */
export type ChangeListener = (change: Change) => void | Promise<void>

export interface Watch {
  /** The newest change at the time of opening. Changes up to it are not reported. */
  readonly since: number
  /** False: a change of states that another process made may be found only in the change log. */
  readonly reportsAll: boolean
  /**
   * SQLite: reports every change that was committed before the call. Takes microseconds if there is none. PostgreSQL
   * reports the changes of other processes automatically, within 250 ms. Here it only throws `StoreUnavailable` if
   * what was reported may be more than a second old.
   */
  catchUp(): void
  close(): void
}

export interface OrganizationStore {
  create(
    settings: OrganizationSettings,
    now: number,
    note?: Note<Organization>,
  ): Promise<Organization>
  list(): Promise<Organization[]>
  find(organization: number): Promise<Organization | null>
  update(
    organization: number,
    patch: Partial<OrganizationSettings>,
    now: number,
    note?: Note<Organization, Organization>,
  ): Promise<Organization | null>
  /** Deletes the organization and everything it owns. False if it does not exist. */
  delete(organization: number, note?: Note<true>): Promise<boolean>
  /** The newest sequence of each topic; 0 if it never changed. */
  versions(organization: number): Promise<Record<Topic, number>>
}
