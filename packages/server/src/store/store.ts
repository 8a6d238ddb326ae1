import type { AuditEntry, NewAuditEntry } from '../domain/audit.ts'
import type { Credential } from '../domain/credential.ts'
import type { Fix } from '../domain/fix.ts'
import type { ObjectLimit } from '../domain/object-limits.ts'
import type { Dated, ObjectState } from '../domain/object-state.ts'
import type {
  AttemptCount,
  OperatorCredential,
  OperatorCredentialKind,
} from '../domain/operator.ts'
import type { Organization, OrganizationSettings } from '../domain/organization.ts'
import type {
  Geofence,
  GeofenceSettings,
  Route,
  RouteSettings,
  Site,
  SiteSettings,
} from '../domain/place.ts'
import type { Objection, Tracking } from '../domain/track.ts'
import type { ObjectSettings, TrackedObject } from '../domain/tracked-object.ts'
import type { UsageCount } from '../domain/usage.ts'

/**
 * The port to what lasts. Every call that touches an organization's data takes the organization's
 * id, and a row of another organization is to it as if it did not exist. What a resolved promise
 * says was written is durable. An adapter that cannot answer rejects with `StoreUnavailable`.
 */
export interface Store {
  readonly organizations: OrganizationStore
  /** What opens the API, and what opens the feed. */
  readonly keys: KeyStore
  readonly feedTokens: KeyStore
  readonly objects: ObjectStore
  readonly geofences: CatalogueStore<Geofence, GeofenceSettings>
  readonly routes: CatalogueStore<Route, RouteSettings>
  readonly sites: CatalogueStore<Site, SiteSettings>
  readonly positions: PositionStore
  readonly operator: OperatorStore
  readonly audit: AuditStore
  readonly usage: UsageStore
  /** 32 random bytes made once for the deployment: what cursors and entity tags are sealed with. */
  secret(): Promise<Buffer>
  /** Tells of every change that another connection or process has made, and of one's own. */
  watch(listener: ChangeListener): Watch
  /**
   * A consistent copy of everything, made while others read and write, into an empty folder. `beside` puts
   * there what else belongs to it, before the copy can be taken for a finished one.
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

/** What of an organization has changed. */
export const TOPICS = [
  'organization',
  'keys',
  'feed_tokens',
  'objects',
  'geofences',
  'routes',
  'sites',
  'states',
] as const
export type Topic = (typeof TOPICS)[number]

/** `sequence` grows with every change of its organization, and survives restarts. */
export type Change = {
  organization: number
  topic: Topic
  sequence: number
  /**
   * Of the topic `states`, where this very store object has made the change: the states as they are
   * now, told as soon as they are committed, and the change of the topic before this one, 0 where
   * there was none. Who holds the organization's states as of that one holds them as of this one too.
   */
  stored?: { states: Map<number, ObjectState>; previous: number }
}

/**
 * What it returns is awaited before the write that made the change resolves, where that is one of the
 * same store object; it must not reject.
 */
export type ChangeListener = (change: Change) => void | Promise<void>

export interface Watch {
  /** The newest change when it was opened, of which and of earlier ones it does not tell. */
  readonly since: number
  /**
   * Returns once every change that was committed before the call has been told to the listener.
   * Costs microseconds when there is none; a store that is told by its server does nothing here.
   * Throws `StoreUnavailable`.
   */
  catchUp(): void
  close(): void
}

export interface OrganizationStore {
  create(settings: OrganizationSettings, now: number): Promise<Organization>
  list(): Promise<Organization[]>
  find(organization: number): Promise<Organization | null>
  update(
    organization: number,
    patch: Partial<OrganizationSettings>,
    now: number,
  ): Promise<Organization | null>
  /** Deletes the organization and all that it owns; false where there is none. */
  delete(organization: number): Promise<boolean>
  /** The newest sequence of each topic, 0 where it never changed. */
  versions(organization: number): Promise<Record<Topic, number>>
}

export type NewKey = Pick<Credential, 'name' | 'hash' | 'prefix' | 'lastFour' | 'expiresAt'>

/** API keys, or feed tokens: two kinds of key that know nothing of each other. */
export interface KeyStore {
  issue(organization: number, key: NewKey, now: number): Promise<Credential>
  /** By id, ascending; revoked and expired ones too. */
  list(organization: number): Promise<Credential[]>
  /** Null where the organization has no such key. Revoking twice keeps the first moment. */
  revoke(organization: number, key: number, now: number): Promise<Credential | null>
  /** Issues a key under the name of an old one, which ends at `oldExpiresAt` or earlier. */
  rotate(
    organization: number,
    key: number,
    replacement: NewKey,
    oldExpiresAt: number,
    now: number,
  ): Promise<Credential | null>
  /** Every key that was never revoked, of all organizations, for the process that checks keys. */
  all(): Promise<Credential[]>
  /** Notes when keys were last used. Announces no change. */
  touch(uses: { organization: number; key: number; usedAt: number }[]): Promise<void>
}

/** `id` is taken where it is free in the deployment. */
export type CatalogueEntry<Settings> = Settings & { id?: number | undefined }

export type PutOutcome =
  | { outcome: 'created' | 'updated' | 'unchanged'; id: number }
  /** The entry was matched by id, but its ident belongs to another object of the organization. */
  | { outcome: 'ident_taken' }
  /** The organization has as many objects as it may have (`maxObjects`). */
  | { outcome: 'limit_of_objects' }

export interface CatalogueStore<Item, Settings> {
  /** By id, ascending. */
  list(organization: number): Promise<Item[]>
  find(organization: number, id: number): Promise<Item | null>
  /**
   * Adds or updates, all in one transaction. An entry is matched by `id` where the organization has
   * that id, else by `name` (objects: by `ident`; of several the lowest id), else created.
   */
  put(organization: number, entries: CatalogueEntry<Settings>[], now: number): Promise<PutOutcome[]>
  /** Null where the organization has no such item; 'ident_taken' as in `put`. */
  update(
    organization: number,
    id: number,
    patch: Partial<Settings>,
    now: number,
  ): Promise<Item | null | 'ident_taken'>
  /** Deletes it and, of an object, all its positions; false where there is none. */
  delete(organization: number, id: number): Promise<boolean>
}

export type Ensured = {
  /** By ident. */
  ids: ReadonlyMap<string, number>
  created: number
  /** The limit that the idents without an id are beyond; null where all have one. */
  beyond: ObjectLimit | null
}

export interface ObjectStore extends CatalogueStore<TrackedObject, ObjectSettings> {
  /**
   * Makes an object with default settings for each of the distinct idents that has none, in their order, up
   * to the organization's `maxObjects` and, where a feed token makes them, up to `MAX_NEW_OBJECTS`: exactly,
   * whichever processes make objects at once.
   */
  ensure(
    organization: number,
    idents: readonly string[],
    now: number,
    feedToken?: number,
  ): Promise<Ensured>
}

/** A closed range of `time_device`, milliseconds since the epoch. */
export type TimeRange = { from: number; to: number }

export type NewFix = { object: number; fix: Fix }

export type AppendOutcome =
  | 'accepted'
  | 'duplicate'
  /** Another fix of that moment stands, or stood until now; of the two the better one does. */
  | 'conflict'
  /** The organization has none of that id. */
  | 'unknown_object'
  | { rejected: Objection }

/** A packet that was not accepted. Times in milliseconds since the epoch. */
export type Reject = { reason: Objection; timeServer: number; fix: Fix }

/** Whose positions were folded anew, and how many of them. */
export type Refolded = {
  organization: number
  object: number
  positions: number
  /** Whether they were the object's last. */
  finished: boolean
}

/** An organization, or one object of it. */
export type Scope = { organization: number; object: number | null }

export type History = {
  /** `time_device` of the last row of this page where more rows follow it, else null. */
  next: number | null
  /**
   * The rows by `time_device`, ascending, as blocks of whole fix records (`domain/fix-record.ts`), of
   * some tens of kilobytes each. Exactly the rows that stood when the page was opened. Reads on only
   * as it is consumed and lets others run in between; ending the iteration frees what it holds.
   */
  blocks: AsyncIterable<Uint8Array>
}

export interface PositionStore {
  /** How many fixes one append does best with: what else there is waits no longer for them than it should. */
  readonly appendSize: number
  /**
   * Stores a batch, all in one transaction, and folds it into its objects' states and into the
   * counters of what lies behind a fix that came late. What is not accepted is kept among the
   * object's rejects, and moves its `timeServer`. So does what stands already, which changes
   * nothing else. Outcomes are in the order of the batch.
   */
  append(organization: number, batch: NewFix[], tracking: Tracking): Promise<AppendOutcome[]>
  /** The last packets of an object that were not accepted, the newest first. */
  rejects(organization: number, object: number): Promise<Reject[]>
  /** Has all positions of the scope folded anew, by `refold`. Returns how many objects that are. */
  requestRefold(scope: Scope): Promise<number>
  /**
   * Folds anew a slice of what was requested, or of what a late fix that changed very much has left.
   * Null where nothing of the scope is left to do; a scope of null is all there is.
   */
  refold(scope: Scope | null, tracking: Tracking): Promise<Refolded | null>
  /** Notes the addresses of where objects were at a moment, but for those who have a later one. */
  address(organization: number, addresses: Map<number, Dated<string>>): Promise<void>
  /**
   * `mayLag`: whether it may be read where the newest is some moments late, in a store that has such
   * places. Not what follows a page that was given before: it might lack what stood then.
   * `signal` aborts when nobody wants it any more: it then waits for its turn no longer.
   */
  history(
    organization: number,
    object: number,
    range: TimeRange,
    limit: number | null,
    mayLag?: boolean,
    signal?: AbortSignal,
  ): Promise<History>
  /** How many rows the range holds, counted no further than `atMost`; the rest as in `history`. */
  count(
    organization: number,
    object: number,
    range: TimeRange,
    atMost: number,
    mayLag?: boolean,
    signal?: AbortSignal,
  ): Promise<number>
  /**
   * Deletes a slice of what an organization's positions were before a moment, in the order of its
   * objects from behind `after` on, at first 0: some milliseconds' work. Returns the `after` of the
   * next slice, or null when all is done. The newest of an object's positions from before that
   * moment stays, because the counters of the later ones build on its, but is shown no more. Objects
   * that wait to be folded anew are left for another time. Histories that were opened from that
   * moment on, and states, remain as they are.
   */
  purgeExpired(organization: number, before: number, after: number): Promise<number | null>
  /**
   * To be called now and then, by all processes alike: makes room for the positions to come, and
   * drops those of whole weeks that lie before `expired` and have lain there for a day. That is a
   * moment before which no organization wants any; of each object it leaves what `purgeExpired` would.
   * Whether the store does so: where it does, only organizations that keep less than others need
   * `purgeExpired`. Takes long at times; when the signal aborts, the rest is left for the next call.
   */
  makeRoom(now: number, expired: number, signal?: AbortSignal): Promise<boolean>
  /** The states of all the organization's objects that have one, or of those asked for. */
  states(organization: number, objects?: number[]): Promise<Map<number, ObjectState>>
}

export type NewOperatorCredential<Kind extends OperatorCredentialKind = OperatorCredentialKind> =
  Omit<OperatorCredential, 'id' | 'kind' | 'createdAt' | 'lastUsedAt'> & { kind: Kind }

/** The operator of the deployment: the password's hash, and what else lets in. Announces no change. */
export interface OperatorStore {
  /** The hash of the password as it was given; null until one is set, or after a reset. */
  password(): Promise<string | null>
  /**
   * Takes back the password, every setup link and every session, and issues this setup link: all in one
   * transaction. Tokens stay.
   */
  reset(setup: NewOperatorCredential<'setup'>, now: number): Promise<OperatorCredential>
  /**
   * Issues this setup link in place of any other, and only while there is no password: null where there is.
   */
  invite(setup: NewOperatorCredential<'setup'>, now: number): Promise<OperatorCredential | null>
  /**
   * Sets the first password, if this hash is that of a setup link that stands at `now`, and ends the link;
   * false where it is not, or where there is a password. Of several at once one succeeds.
   */
  claim(setupHash: string, passwordHash: string, now: number): Promise<boolean>
  /**
   * Puts another password in place of `previous` and ends all sessions but `keep`; false where the password
   * is not `previous` any more.
   */
  changePassword(previous: string, next: string, keep: number | null): Promise<boolean>
  /**
   * Opens a session for who gave the password of this hash; null where it is not the password any more, so
   * that none outlives a change that was made while the password was being checked.
   */
  signIn(
    session: NewOperatorCredential<'session'>,
    password: string,
    now: number,
  ): Promise<OperatorCredential | null>
  issue(token: NewOperatorCredential<'token'>, now: number): Promise<OperatorCredential>
  /** By hash, also one that has expired; a session only where its password still stands. */
  find(hash: string): Promise<OperatorCredential | null>
  /** Of one kind, by id, ascending; expired ones too. */
  list(kind: OperatorCredentialKind): Promise<OperatorCredential[]>
  /** Deletes it; false where there is none. */
  revoke(kind: OperatorCredentialKind, id: number): Promise<boolean>
  /** Notes when it was last used. */
  touch(id: number, usedAt: number): Promise<void>
  /** Deletes what expired before a moment. */
  purge(before: number): Promise<void>
  /** The counts of these origins, by origin; an origin that has none is left out. */
  attempts(origins: readonly string[]): Promise<AttemptCount[]>
  /**
   * Stores the counts that `change` makes of those of these origins, one caller after the other; `change`
   * may run again. Deletes all counts whose last attempt and last sign-in are older than these moments.
   */
  changeAttempts(
    origins: readonly string[],
    change: (kept: AttemptCount[]) => AttemptCount[],
    forget: { attemptsBefore: number; signInsBefore: number },
  ): Promise<void>
}

/** Which entries of the audit log: those of an organization, or all; older than an entry. */
export type AuditQuery = { organization: number | null; before: number | null; limit: number }

/** What was changed, by whom: entries are added, never changed, and stay when their organization is gone. */
export interface AuditStore {
  add(entry: NewAuditEntry): Promise<void>
  /** The newest first. */
  list(query: AuditQuery): Promise<AuditEntry[]>
}

/** How often the API was used. Announces no change; goes with the organization. */
export interface UsageStore {
  /** How many counts one `add` does best with: more of them keep others waiting. */
  readonly addSize: number
  /**
   * Adds to what was counted, all in one transaction, by any number of processes at once. Counts of an
   * organization that is gone are dropped.
   */
  add(counts: readonly UsageCount[]): Promise<void>
  /** Of an organization in a closed range of days, by day, key, operation and status, ascending. */
  list(organization: number, from: number, to: number): Promise<UsageCount[]>
  /** Of every organization that has any on a day, by its id: requests by status. */
  byOrganization(day: number): Promise<Map<number, Map<number, number>>>
  /** Deletes what was counted before a day. */
  purge(before: number): Promise<void>
}
