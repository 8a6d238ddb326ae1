import {
  type ChangeType,
  ITEM_TOPICS,
  type Items,
  type ItemTopic,
  type RecordType,
} from '../../base/domain/item-rules.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import type { ShiftEntry } from '../store/change-entries.ts'
import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import type { OwnedRecord, RecordOffset } from '../store/record-store.ts'

/** The changes that a reader chose. All pages of one cursor have the same. */
export type Selection = {
  /** The chosen types of entries, as the parameter `types` names them. */
  types: ReadonlySet<ChangeType>
  /** Null: all objects of the organization. Ascending. */
  ids: readonly number[] | null
}

/** A page of changes: what comes after an offset, as it is in one moment. */
export type Page = {
  /** The number of the newest change as of the page. */
  asOf: number
  /** Whether it is a part of the snapshot or of the history that a reader starts with. */
  isSnapshot: boolean
  entries: readonly PageEntry[]
  /** Where the next page begins. */
  next: PageOffset
  /** Whether there were more changes when the page was made. */
  hasMore: boolean
}

/** The number of entries of a page. */
export function countOf({ entries }: Page): number {
  return entries.reduce((sum, entry) => sum + ('count' in entry ? entry.count : 1), 0)
}

/**
 * An entry with the number of its change (in a snapshot the page's `asOf`). Times are milliseconds since the
 * epoch.
 */
export type PageEntry = { seq: number } & (
  | PositionRun
  | { type: 'position'; op: 'delete'; object: number; time: number; before: PageOffset }
  /** Both ends are included; a null end is open. */
  | {
      type: 'positions'
      op: 'replace'
      object: number
      from: number | null
      to: number | null
      before: PageOffset
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
      before: PageOffset
    }
  | { type: 'state'; op: 'put'; object: MonitoredObject; state: ObjectState; before: PageOffset }
  | ItemPut
  | RecordPutEntry
  | { type: ItemTopic; op: 'delete'; id: number; before: PageOffset }
  | { type: RecordType; op: 'delete'; id: number; before: PageOffset }
  | { type: 'retention'; op: 'put'; days: number | null; before: PageOffset }
  /** Null: as the organization keeps the positions of the object. */
  | {
      type: 'object_retention'
      op: 'put'
      object: number
      days: number | null
      before: PageOffset
    }
  | Withheld
)

/** Positions of a range were left out, because the object's quota does not pay for them. */
export type Withheld = {
  type: 'withheld'
  op: 'put'
  object: number
  from: number
  to: number
  before: PageOffset
}

/** Adjacent positions of one object, one entry for each. */
export type PositionRun = {
  type: 'position'
  op: 'put'
  late: boolean
  object: MonitoredObject
  /** For a row without counters of its own and without an address. */
  state: ObjectState
  /** The columns that have the rows, the place of the first one, and how many there are. */
  columns: PositionColumns
  first: number
  count: number
  /** The offset before row `index` of the run: a page can end there. */
  beforeRow(index: number): PageOffset
}

export type ItemPut = {
  [Topic in ItemTopic]: {
    type: Topic
    op: 'put'
    item: Items[Topic]
    /** Only objects have one. */
    state: ObjectState | undefined
    before: PageOffset
  }
}[ItemTopic]

export type RecordPutEntry = {
  type: RecordType
  op: 'put'
  owned: OwnedRecord
  object: MonitoredObject
  /** The name of the visited place. Null without a place, or if it was deleted a moment ago. */
  placeName: string | null
  before: PageOffset
}

/** The conditions of a page in addition to its offset. */
export type PageOptions = {
  selection: Selection
  /** At most this many entries. */
  limit: number
  /** Milliseconds since the epoch. */
  now: number
  /** Undefined: all changes come one by one. */
  joinedAt?: JoinedChangeAt
}

/**
 * An offset in the changes of an organization. A reader starts in the snapshot, passes through its parts in
 * order (with or without the history), and continues in the log.
 */
export type PageOffset = SnapshotOffset | LogOffset

/**
 * The parts of a snapshot in their order. Each has rows by id; records and the history also by time. That of retentions has
 * time 0 after the one of the organization.
 */
export const SNAPSHOT_PARTS = ['retention', ...ITEM_TOPICS, 'states', 'records', 'history'] as const

type SnapshotPart = (typeof SNAPSHOT_PARTS)[number]

export type SnapshotOffset = {
  part: SnapshotPart
  /** Whether the history is a part of it. */
  withHistory: boolean
  /** The newest change when the reader started. The log continues after it. */
  base: number
  /** The id of the last item, state or object of a position that was read; 0 at the beginning. */
  id: number
  /** In the history, the time of the last position of that object that was read; -1 at its beginning. */
  time: number
  /** The last derived record that was read. Undefined outside of them, and at their beginning. */
  records?: RecordsOffset | undefined
}

export type LogOffset = {
  part: 'log'
  /** The number of the last change that was read as a whole. */
  after: number
  /** How many parts of the next change were read. */
  skip: number
  /** How far the part after them was read, if it is a range of positions, and then of derived records. */
  id: number
  time: number
  records?: RecordsOffset | undefined
  /** The number of the last change, if the reader is in a joined change. Then `id` and `time` name the next step of its part. */
  joined?: { last: number; part: JoinedPart }
}

export type JoinedPart = 'shifts' | 'positions' | 'states' | 'records'

type RecordsOffset = { type: RecordType; after: RecordOffset }

/** Where a reader starts. `newest`: the number of the newest change. */
export function startOf(from: 'snapshot' | 'history' | 'now', newest: number): PageOffset {
  if (from === 'now') return logOffset(newest)
  const withHistory = from === 'history'
  return { part: 'retention', withHistory, base: newest, id: 0, time: -1 }
}

/** After a whole change. */
export function logOffset(after: number): LogOffset {
  return { part: 'log', after, skip: 0, id: 0, time: -1 }
}

/** The numbers of the change before the first one of a joined change, and of the last one. */
export type JoinedRange = { readonly after: number; readonly last: number }

/**
 * Consecutive changes that pages show as one, so that each block of positions is read once for all its rows that they
 * name. The entries have the number of the last change. Shifts alone come first and keep the numbers of their own: a
 * reader applies a shift to the rows that it got before that number.
 */
export type JoinedChange = JoinedRange & {
  readonly shifts: readonly { seq: number; object: number; shifts: readonly ShiftEntry[] }[]
  /**
   * The names of the positions of each object whose state changed, by id: twice the time of a position, and 1 more if it
   * was late, in any order.
   */
  readonly objects: ReadonlyMap<number, number[]>
  /** By id. */
  readonly records: ReadonlyMap<number, { type: RecordType; object: number }>
  /** How many names it has. */
  readonly size: number
}

/**
 * The joined change that an offset is in, or that begins there. Otherwise the next changes, which come one by one: the
 * first one, and those that were read to find it out.
 */
export type JoinedChangeAt = (
  view: ReaderView,
  offset: LogOffset,
  options: Pick<PageOptions, 'limit' | 'now'>,
) => Promise<JoinedChange | readonly LoggedChange[]>
