import type {
  AttributeEntry,
  StoredAttribute,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import type { SavedMapping } from '../../base/domain/import-formats.ts'
import type { ItemSettings, Items, ListTopic } from '../../base/domain/item-rules.ts'
import type { ObjectLimit, PlaceLimit } from '../../base/domain/limits.ts'
import type { MonitoredObject, ObjectSettings } from '../../base/domain/monitored-object.ts'
import type { RefusedIdent } from '../../base/domain/routing-rule.ts'
import type { Fault } from '../../base/domain/setting-rule.ts'
import type { TrackerMove } from '../../base/domain/tracker-move.ts'
import type { Note } from './audit-store.ts'

/** The stores of items that have settings alone. */
export type ListStores = {
  readonly [Topic in ListTopic]: ItemStore<Items[Topic], ItemSettings[Topic]>
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

/** A tracker is put into an object: it sends `ident`, and another object had it before `since`, which gets `formerIdent`. */
export type NewTracker = { ident: string; since: number; formerIdent: string }

export type MoveRefusal =
  /** `formerIdent` is that of an object already. */
  | 'ident_taken'
  /** No other object has the ident. */
  | { outcome: 'ident_is_free' }
  /** The tracker moved again at that moment, which is not before the wanted one. */
  | { outcome: 'moved_later'; since: number }

export type Ensured = {
  /** By ident. */
  ids: ReadonlyMap<string, number>
  created: number
  /** The limit that left some idents without an id. Null if no limit did. */
  beyond: ObjectLimit | null
  /** The idents without an id because the organization does not own them (`key-store.ts`). */
  foreign: ReadonlySet<string>
}

/**
 * The feed token whose packets need objects: one of the organization by its id, or one of the deployment. The first makes
 * no object of an ident that another organization owns, and owns none that a rule gives to others. The second makes only those of idents that the organization owns.
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
  /**
   * Gives the tracker of another object to this one. Its positions since then follow (`PositionStore.moveSlice`). Returns the
   * object, and null if the organization has none of that id.
   */
  moveTracker(
    organization: number,
    id: number,
    tracker: NewTracker,
    now: number,
    note?: Note<MonitoredObject, MonitoredObject>,
  ): Promise<MonitoredObject | null | MoveRefusal>
  /** By ident and time. */
  trackerMoves(organization: number): Promise<TrackerMove[]>
  /**
   * The same for people and programs of the organization: their objects do not own an ident that a rule of the deployment
   * gives to other organizations. An operator decides about such idents.
   */
  readonly ofOrganization: Pick<ObjectStore, 'put' | 'update' | 'ensure' | 'moveTracker'>
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

/** The catalogue of attributes of an organization, by name. */
export type Attributes = readonly StoredAttribute[]
/** The same as somebody gives it. */
export type GivenAttributes = readonly AttributeEntry[]

export interface AttributeStore {
  list(organization: number): Promise<StoredAttribute[]>
  /**
   * Replaces the catalogue with the result of `change`, in one transaction. Names are unique in it. An entry with the name
   * of another one keeps its id, and others get ids that the organization never used. Calls for an
   * organization run one after the other, and `change` may run again. An error that it throws leaves everything as it was.
   * Reports no change if the result is the same. Null if the organization does not exist.
   */
  change(
    organization: number,
    change: (entries: Attributes) => GivenAttributes,
    note?: Note<Attributes, Attributes>,
  ): Promise<Attributes | null>
}

/** Why these objects cannot be chosen. Undefined if all of them are the organization's, or none are given. */
export async function foreignIds(
  store: { readonly objects: Pick<ObjectStore, 'list'> },
  organization: number,
  field: string,
  ids: readonly number[] | null | undefined,
): Promise<Fault | undefined> {
  if (!ids) return undefined
  const own = new Set((await store.objects.list(organization)).map(({ id }) => id))
  const foreign = ids.find((id) => !own.has(id))
  if (foreign === undefined) return undefined
  return { field, rule: `must be ids of the organization's objects; it has no ${foreign}` }
}
