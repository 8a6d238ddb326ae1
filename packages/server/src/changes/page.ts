import type { ChangeType, RecordType } from '../domain/change-types.ts'
import type { Items, ItemTopic } from '../domain/items.ts'
import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { ObjectState } from '../domain/position/object-state.ts'
import type { OwnedRecord } from '../store/record-store.ts'
import type { Place } from './place.ts'

/** The changes that a reader chose. All pages of one cursor have the same. */
export type Selection = {
  /** The chosen types of entries, as the parameter `types` names them. */
  types: ReadonlySet<ChangeType>
  /** Null: all objects of the organization. Ascending. */
  ids: readonly number[] | null
}

/** A page of changes: what comes after a place, as it is in one moment. */
export type Page = {
  /** The number of the newest change as of the page. */
  asOf: number
  /** Whether it is a part of the snapshot or of the history that a reader starts with. */
  isSnapshot: boolean
  entries: readonly PageEntry[]
  /** Where the next page begins. */
  next: Place
  /** Whether there were more changes when the page was made. */
  hasMore: boolean
}

/**
 * An entry with the number of its change (in a snapshot the page's `asOf`). Times are milliseconds since the
 * epoch.
 */
export type PageEntry = { seq: number } & (
  | PositionRun
  | { type: 'position'; op: 'delete'; object: number; time: number; before: Place }
  /** Both ends are included; a null end is open. */
  | {
      type: 'positions'
      op: 'replace'
      object: number
      from: number | null
      to: number | null
      before: Place
    }
  | {
      type: 'counters'
      op: 'shift'
      object: number
      from: number
      to: number | null
      odometer: number
      mileage: number
      engineHours: number
      before: Place
    }
  | { type: 'state'; op: 'put'; object: MonitoredObject; state: ObjectState; before: Place }
  | ItemPut
  | RecordPutEntry
  | { type: ItemTopic; op: 'delete'; id: number; before: Place }
  | { type: RecordType; op: 'delete'; id: number; before: Place }
  | { type: 'retention'; op: 'put'; days: number | null; before: Place }
  | Withheld
)

/** Tells that positions of a range were left out, because the object's quota does not pay for them. */
export type Withheld = {
  type: 'withheld'
  op: 'put'
  object: number
  from: number
  to: number
  before: Place
}

/** Adjacent positions of one object, one entry for each. */
export type PositionRun = {
  type: 'position'
  op: 'put'
  late: boolean
  object: MonitoredObject
  /** For a row without counters of its own and without an address. */
  state: ObjectState
  /** The rows as fix records, and how many there are. */
  records: Uint8Array
  count: number
  /** The place before row `index` of the run: a page can end there. */
  beforeRow(index: number): Place
}

export type ItemPut = {
  [Topic in ItemTopic]: {
    type: Topic
    op: 'put'
    item: Items[Topic]
    /** Only objects have one. */
    state: ObjectState | undefined
    before: Place
  }
}[ItemTopic]

export type RecordPutEntry = {
  type: RecordType
  op: 'put'
  owned: OwnedRecord
  object: MonitoredObject
  /** For a record without an address. */
  state: ObjectState
  /** The name of the visited place. Null without a place, or if it was deleted a moment ago. */
  placeName: string | null
  before: Place
}

/** The conditions of a page besides its place. */
export type PageOptions = {
  selection: Selection
  /** At most this many entries. */
  limit: number
  /** Milliseconds since the epoch. */
  now: number
}
