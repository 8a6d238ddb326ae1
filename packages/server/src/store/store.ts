import type { KeyObject } from 'node:crypto'
import type { Credential, FeedClient, KeptGrant, TestScenario } from '../domain/credential.ts'
import type { SavedMapping } from '../domain/import-formats.ts'
import { ITEM_TOPICS, type ItemSettings, type Items, type ListTopic } from '../domain/items.ts'
import type { KeyScope } from '../domain/key-scope.ts'
import type { ObjectLimit, PlaceLimit } from '../domain/limits.ts'
import type { MonitoredObject, ObjectSettings } from '../domain/monitored-object.ts'
import type { Organization, OrganizationSettings } from '../domain/organization.ts'
import type { FoldRules } from '../domain/position/fold-state.ts'
import type { Dated, ObjectState } from '../domain/position/object-state.ts'
import type { RefusedIdent } from '../domain/refused-ident.ts'
import { DAY_MS } from '../domain/time/time.ts'
import type { TimeRange } from '../domain/time/time-range.ts'
import type { AppendOutcome, NewFix, Reject } from '../tracking/outcome.ts'
import type { AccessStore } from './access-store.ts'
import type { AccountStore } from './account-store.ts'
import type { AttemptStore } from './attempt-store.ts'
import type { AttributeStore } from './attribute-store.ts'
import type { AuditStore, Note } from './audit-store.ts'
import type { ChangeLogStore } from './change-log.ts'
import type { CoverageStore } from './coverage-store.ts'
import type { RecordStore } from './record-store.ts'
import type { RoutingStore } from './routing-store.ts'
import type { DisclosureStore, UsageStore } from './usage-store.ts'
import type { WebhookStore } from './webhook-store.ts'

/** The stores of items that have settings alone. */
export type ListStores = {
  readonly [Topic in ListTopic]: ItemStore<Items[Topic], ItemSettings[Topic]>
}

/**
 * The port to lasting data. Every call on an organization's data takes the organization's id, and treats
 * rows of other organizations as missing. When a promise resolves, its writes are durable. An adapter
 * that cannot answer rejects with `StoreUnavailable`. The adapters begin in `sqlite/open.ts` and
 * `postgres/open.ts`.
 */
export interface Store extends ListStores {
  readonly organizations: OrganizationStore
  /** Credentials for the API and for the feed. */
  readonly keys: ApiKeyStore
  readonly feedTokens: KeyStore
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
   * Makes a consistent copy of everything in an empty folder, while others read and write. `beside` adds
   * other files before the copy gets its final name.
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
  ...ITEM_TOPICS,
  'states',
  'attributes',
  'webhooks',
  'records',
] as const
export type Topic = (typeof TOPICS)[number]

/**
 * A change of a topic, as watchers get it. `DEPLOYMENT` instead of an organization, with the topic `feed_tokens`: its
 * tokens or its rules. `sequence` grows with every change of its organization and survives
 * restarts. The change log has numbers of its own.
 */
export type Change = {
  organization: number
  topic: Topic
  sequence: number
  /**
   * Only for the topic `states`, and only if this store object made the change: the new states, reported
   * right after the commit, and the number of the topic's change before this one (0 if none). A holder of
   * all states as of `previous` now holds all states as of this change.
   */
  stored?: { states: Map<number, ObjectState>; previous: number }
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
   * SQLite: reports every change that was committed before the call. Takes microseconds if there is none.
   * PostgreSQL reports the changes of other processes by itself, within 250 ms. Here it only throws
   * `StoreUnavailable` if what was reported may be more than a second old.
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

export type NewKey = Pick<Credential, 'name' | 'hash' | 'prefix' | 'lastFour' | 'expiresAt'> & {
  /** Only of an API key. */
  scope?: KeyScope | null
  /** Only of a test key. */
  scenario?: TestScenario | null
  /** Only of an API key. */
  recipient?: string | null
  purpose?: string | null
  /** Only of a feed token. */
  client?: FeedClient | null
}

/** The settings of an API key that change. */
export type KeyPatch = Partial<Pick<Credential, 'scope' | 'recipient' | 'purpose'>>

/** API keys, or feed tokens. The two kinds are independent of each other. */
export interface KeyStore {
  issue(
    organization: number,
    key: NewKey,
    now: number,
    note?: Note<Credential>,
  ): Promise<Credential>
  /** All keys by id, ascending, including revoked and expired ones. */
  list(organization: number): Promise<Credential[]>
  /** Null if the organization has no such key. A second revocation keeps the time of the first. */
  revoke(
    organization: number,
    key: number,
    now: number,
    note?: Note<Credential>,
  ): Promise<Credential | null>
  /**
   * Issues a key with the name, the scope, the scenario, the client and the grant of an old one, which ends at
   * `oldExpiresAt` or earlier.
   */
  rotate(
    organization: number,
    key: number,
    replacement: NewKey,
    oldExpiresAt: number,
    now: number,
    note?: Note<Credential>,
  ): Promise<Credential | null>
  /** The keys of all organizations, revoked ones too, for the process that checks keys. */
  all(): Promise<Credential[]>
  /** Notes when keys were last used. Reports no change. */
  touch(uses: { organization: number; key: number; usedAt: number }[]): Promise<void>
}

export interface ApiKeyStore extends KeyStore {
  /** Null if the organization has no such key. Another recipient or purpose becomes another grant. */
  update(
    organization: number,
    key: number,
    patch: KeyPatch,
    now: number,
    note?: Note<Credential, Credential>,
  ): Promise<Credential | null>
  /** The grants of an organization by id, also those that no key has any more. */
  grants(organization: number): Promise<KeptGrant[]>
}

/** An entry's `id` is used if it is free in the deployment. */
export type ItemEntry<Settings> = Settings & { id?: number | undefined }

export type PutOutcome =
  | { outcome: 'created' | 'updated' | 'unchanged'; id: number }
  /** The entry was matched by id, but its ident belongs to another object of the organization. */
  | { outcome: 'ident_taken' }
  /** The organization has as many objects as it may have (`maxObjects`). */
  | { outcome: 'limit_of_objects' }
  /** The organization has as many places or vertices as it may have (`maxPlaces`, `maxVertices`). */
  | PlaceLimit

/** An item as it is stored: its lists and objects are JSON texts. A place may have megabytes of them. */
export type TextsOf<Item> = {
  [Field in keyof Item]: NonNullable<Item[Field]> extends object ? string : Item[Field]
}

export interface ItemStore<Item, Settings> {
  /** By id, ascending. */
  list(organization: number): Promise<Item[]>
  /** The same as they are stored, some at a time, read as the caller takes them. */
  pages(organization: number): AsyncIterable<TextsOf<Item>[]>
  find(organization: number, id: number): Promise<Item | null>
  /** The ids of the items with this name (objects: with this ident), ascending. */
  named(organization: number, name: string): Promise<number[]>
  /**
   * Adds or updates entries in one transaction. An entry matches an item of the organization by `id`,
   * else by `name` (objects: by `ident`), and the lowest id wins. An entry without a match becomes a new
   * item.
   */
  put(
    organization: number,
    entries: ItemEntry<Settings>[],
    now: number,
    note?: Note<PutOutcome[]>,
  ): Promise<PutOutcome[]>
  /** Null if the organization has no such item. 'ident_taken' and the limit of vertices as in `put`. */
  update(
    organization: number,
    id: number,
    patch: Partial<Settings>,
    now: number,
    note?: Note<Item, Item>,
  ): Promise<Item | null | 'ident_taken' | PlaceLimit>
  /** Deletes an item, and all positions of an object. False if it does not exist. */
  delete(organization: number, id: number, note?: Note<true>): Promise<boolean>
}

export type Ensured = {
  /** By ident. */
  ids: ReadonlyMap<string, number>
  created: number
  /** The limit that left some idents without an id. Null if no limit did. */
  beyond: ObjectLimit | null
  /** The idents without an id because the organization does not own them (`routing-store.ts`). */
  foreign: ReadonlySet<string>
}

/**
 * The feed token whose packets need objects: one of the organization by its id, or one of the deployment. The first makes
 * no object of an ident that another organization owns, the second only those of idents that the organization owns.
 */
export type ObjectMaker = number | { deploymentToken: number }

export interface ObjectStore extends ItemStore<MonitoredObject, ObjectSettings> {
  /**
   * Creates an object with default settings for each ident without one, in their order. `idents`: distinct ones, which
   * are the names too, or the names by idents. Stops at
   * the organization's `maxObjects` and, for a feed token, at `MAX_NEW_OBJECTS`. Both limits are exact,
   * even if several processes create objects at once. Without a maker, an operator asks.
   */
  ensure(
    organization: number,
    idents: readonly string[] | ReadonlyMap<string, string>,
    now: number,
    maker?: ObjectMaker,
    note?: Note<Ensured>,
  ): Promise<Ensured>
}

/** The choices with which CSV files were imported. Reports no change. */
export interface SavedMappingStore {
  /** The newest first. */
  list(organization: number): Promise<SavedMapping[]>
  /** Saves a mapping, in the place of one with the same id, whose name stays. */
  put(organization: number, mapping: SavedMapping, note?: Note<true>): Promise<void>
  /** False: there is none. */
  rename(organization: number, id: number, name: string, note?: Note<true>): Promise<boolean>
  /** False: there is none. */
  delete(organization: number, id: number, note?: Note<true>): Promise<boolean>
}

/** The idents that trackers of an organization send and that no object has. Announces no change. */
export interface RefusedIdentStore {
  /** Adds packets of distinct idents. Keeps the `MAX_REFUSED_IDENTS` that sent last and have no object. */
  add(organization: number, idents: readonly RefusedIdent[]): Promise<void>
  /** Without those that objects have by now; the one that sent last comes first. */
  list(organization: number): Promise<RefusedIdent[]>
}

/** The object whose positions were folded again, and how many. */
export type Refolded = {
  organization: number
  object: number
  positions: number
  /** Whether these were the object's last positions to fold. */
  finished: boolean
}

/** The age from which positions are packed. Younger ones are read most, and late packets come among them. */
export const PACK_AFTER_MS = 2 * DAY_MS

/** An organization, or one object of it. */
export type RefoldSubject = { organization: number; object: number | null }

export type History = {
  /** `time_device` of the page's last row if more rows follow it, else null. */
  next: number | null
  /**
   * The rows by `time_device`, ascending, as blocks of whole fix records (`domain/position/fix-record.ts`), some
   * tens of kilobytes each: exactly the rows that were shown when the page was opened. Reads on as the
   * caller consumes it, and lets others run in between. Ending the iteration frees its resources.
   */
  blocks: AsyncIterable<Uint8Array>
}

/** How a history is read. */
export type WantedHistory = {
  /**
   * A replica may answer that is a little behind. Not for the next page of an earlier answer, whose rows a replica may
   * lack.
   */
  readonly mayLag?: boolean
  /** Without them, packed positions are read faster: their records lack their attributes. Absent: with them. */
  readonly hasAttributes?: boolean
  /** Aborts the wait for a connection when the page is not wanted any more. */
  readonly signal?: AbortSignal
}

/** The positions in blocks, the number of these, and their bytes; and the positions that lie as rows. */
export type PackingCounts = { blocks: number; packed: number; bytes: number; unpacked: number }

export interface PositionStore {
  /** The best number of fixes for one append. With more, other work waits too long. */
  readonly appendSize: number
  /**
   * Stores a batch in one transaction. Folds it into the states of its objects and into the counters of
   * positions after a late fix. A rejected packet is kept among the object's rejects. Rejects and
   * duplicates change nothing but the state's `timeServer`. Outcomes are in the order of the batch.
   */
  append(
    organization: number,
    batch: NewFix[],
    rules: FoldRules,
    note?: Note<AppendOutcome[]>,
  ): Promise<AppendOutcome[]>
  /** The last rejected packets of an object, newest first. */
  rejects(organization: number, object: number): Promise<Reject[]>
  /** Requests that `refold` folds all positions of the subject again. Returns the number of objects. */
  requestRefold(subject: RefoldSubject, note?: Note<number>): Promise<number>
  /**
   * Folds a slice of the requested positions again, or of those that a late fix left. Null if nothing is
   * left of the subject. Null is everything.
   */
  refold(subject: RefoldSubject | null, rules: FoldRules): Promise<Refolded | null>
  /** Notes the addresses of objects at a moment, unless a later address is known. */
  address(organization: number, addresses: Map<number, Dated<string>>): Promise<void>
  /** Opens a page of a history. */
  history(
    organization: number,
    object: number,
    range: TimeRange,
    limit: number | null,
    wanted?: WantedHistory,
  ): Promise<History>
  /** The number of rows in the range, counted up to `atMost`. Otherwise as `history`. */
  count(
    organization: number,
    object: number,
    range: TimeRange,
    atMost: number,
    wanted?: Omit<WantedHistory, 'hasAttributes'>,
  ): Promise<number>
  /**
   * Deletes a slice of an organization's positions older than a moment, in the order of its objects,
   * starting behind `after` (first 0). Takes some milliseconds. Returns the `after` of the next slice, or
   * null when all is done.
   *
   * The newest of an object's positions before that moment stays hidden, because later counters build on
   * it. Objects that wait for a fold are left for another time. Histories that were opened from that
   * moment on do not change, and neither do states. `failed` gets why positions of an object are left.
   */
  purgeExpired(
    organization: number,
    before: number,
    after: number,
    failed: (error: unknown) => void,
  ): Promise<number | null>
  /**
   * Makes room for coming positions, and gives that of packed and deleted ones back. All processes call it now and then. It
   * may take long. When the signal aborts, the next call does the rest.
   */
  makeRoom(now: number, signal?: AbortSignal): Promise<void>
  /**
   * Packs positions older than `before` into blocks: those of the first object after `after` (first 0) that has enough of
   * them. Answers stay the same. Returns the number of packed positions and the `after` of the next call, or null when
   * all is done. Takes some milliseconds. `blockRows`: the rows of a block. `failure`: the object cannot be packed.
   */
  pack(
    organization: number,
    before: number,
    after: number,
    blockRows?: number,
  ): Promise<{ packed: number; next: number | null; failure?: unknown }>
  /**
   * Counts the packed positions of an organization, and those older than `before` that are not packed. Reads all blocks but
   * their contents, in slices of about a millisecond.
   */
  packingCounts(organization: number, before: number): Promise<PackingCounts>
  /** The states of the organization's objects that have one, or of the given objects. */
  states(organization: number, objects?: number[]): Promise<Map<number, ObjectState>>
}
