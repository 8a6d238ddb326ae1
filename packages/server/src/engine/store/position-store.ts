import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import type { Dated, ObjectState } from '../../base/domain/position/object-state.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import { DAY_MS, type TimeRange } from '../../base/domain/time/time.ts'
import type { AppendOutcome, NewFix, Reject } from '../tracking/fold-tables.ts'
import type { PositionRange } from '../tracking/work.ts'
import type { Note } from './audit-store.ts'

/** The object whose positions were folded again, and their number. */
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

/** `damaged`: positions that cannot be read are left. */
export type ErasureState = 'under_way' | 'done' | 'damaged'

/**
 * A closed range of time of an object whose positions were deleted, in milliseconds since the epoch, and when that was asked for.
 * `attribute`: its values alone were, by the name that devices use; null: the positions. `seq`: the number in the change log
 * of the last change that deleted some; 0: none did. `doneAt`: when the last of them was deleted, so that older backups still
 * have them. Null: the state is not `done`.
 */
export type Erasure = TimeRange & {
  organization: number
  object: number
  attribute: string | null
  erasedAt: number
  seq: number
  state: ErasureState
  doneAt: number | null
}

/** An object has at most this many ranges whose positions were erased, and whose values of attributes were. */
export const MAX_ERASURES = 1_000
export const MAX_VALUE_ERASURES = 5_000

/** Ranges to erase of an object. `attribute`: its values alone. */
export type ToErase = { ranges: readonly TimeRange[]; attribute?: string | null }

export type ErasedRange = Pick<Erasure, 'from' | 'to' | 'attribute'>

/** Those of the ranges that an object does not have yet. Undefined: they are too many for it. */
export function newErasures(
  known: readonly ErasedRange[],
  { ranges, attribute = null }: ToErase,
): TimeRange[] | undefined {
  // The store keeps an empty name for the positions.
  if (attribute === '') throw new RangeError('an attribute has a name')
  const same = known.filter((each) => each.attribute === attribute)
  const keys = new Set(same.map(rangeKey))
  const added = ranges.filter((range) => !keys.has(rangeKey(range)))
  const ofKind = known.filter((each) => (each.attribute === null) === (attribute === null))
  const maximum = attribute === null ? MAX_ERASURES : MAX_VALUE_ERASURES
  return ofKind.length + added.length > maximum && added.length > 0 ? undefined : added
}

function rangeKey({ from, to }: TimeRange): string {
  return `${from} ${to}`
}

export type History = {
  /** `time_device` of the page's last row if more rows follow it, else null. */
  next: number | null
  /**
   * The rows by `time_device`, ascending, as columns of some hundred rows: exactly the rows that were shown when the page
   * was opened. Reads on as the caller consumes it, and lets others run in between: columns hold until the next ones are
   * asked for. Ending the iteration frees its resources.
   */
  blocks: AsyncIterable<PositionColumns>
}

/** How a history is read. */
export type WantedHistory = {
  /**
   * Whether a replica that lags a little may answer. Not for the next page of an earlier answer, whose rows a replica
   * may lack.
   */
  readonly mayLag?: boolean
  /** Aborts the wait for a connection when the page is not wanted any more. */
  readonly signal?: AbortSignal
}

/**
 * Blocks, their positions and bytes; and the positions that are stored as rows, with the bytes of their fixes and
 * fold states.
 */
export type PackingCounts = {
  blocks: number
  packed: number
  packedBytes: number
  unpacked: number
  unpackedBytes: number
}

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
  /**
   * Requests the same for the objects with positions that rules of another version have folded: those with whose first
   * position no `refold` by these rules has begun. Returns their number.
   */
  requestNewRules(organization: number, rules: Pick<FoldRules, 'version'>): Promise<number>
  /** The number of objects that wait for `refold`. Null: of all organizations. */
  waitingForRefold(organization: number | null): Promise<number>
  /**
   * Moves a slice of the positions that follow a tracker into another object (`ObjectStore.moveTracker`). Returns their
   * number, and null if no move is under way.
   */
  moveSlice(rules: FoldRules): Promise<number | null>
  /**
   * Notes that the positions of ranges are erased, or values of an attribute. From then on `append` takes none of them, and
   * `eraseSlice` deletes those that are stored. Returns the number of ranges. Null: the object is missing.
   */
  erase(
    organization: number,
    object: number,
    what: ToErase,
    now: number,
    note?: Note<number>,
  ): Promise<number | 'too_many' | null>
  /**
   * Deletes a slice of the positions, or values, of an erased range. Returns the number of positions, and null if nothing is
   * left to delete.
   */
  eraseSlice(rules: FoldRules, now: number): Promise<number | null>
  /** The number of an object's stored positions in a range: those that answers show, and those that they do not. */
  storedIn(
    organization: number,
    object: number,
    range: TimeRange,
  ): Promise<{ positions: number; hidden: number }>
  /** The erased ranges by organization, object and time: of one object, of an organization, or of all. Null is everything. */
  erasures(organization: number | null, object: number | null): Promise<Erasure[]>
  /**
   * Forgets names of attributes of a slice of an organization's objects, in the order of their ids, starting after the object
   * `after` (first 0). A forgotten name counts nowhere until its device sends it again. It keeps its place among the
   * names of its object, so its stored values stay readable. Returns the `after` of the next slice, or null when all is
   * done.
   */
  forgetNames(
    organization: number,
    names: ReadonlySet<string>,
    after: number,
    note?: Note<number | null>,
  ): Promise<number | null>
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
    wanted?: WantedHistory,
  ): Promise<number>
  /**
   * Deletes a slice of an organization's expired positions, in the order of its objects, starting after the object `after`
   * (first 0). Takes some milliseconds. Returns the `after` of the next slice, or null when all is
   * done.
   *
   * The newest of an object's positions before that moment stays hidden, because later counters build on it. Objects
   * that wait for a fold are left for another time. Histories that were opened from that moment on do not change, and
   * neither do states. `failed` gets why positions of an object are left.
   */
  purgeExpired(
    organization: number,
    before: Expiry,
    after: number,
    failed: (error: unknown) => void,
  ): Promise<number | null>
  /**
   * Makes room for coming positions, and gives that of packed and deleted ones back. All processes call it now and then. It
   * may take a long time. When the signal aborts, the next call does the rest.
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
  /**
   * Compares the blocks of an object with their columns and their count. `altered`: those that differ. A block that cannot
   * be read is left to `history`.
   */
  checkBlocks(
    organization: number,
    object: number,
  ): Promise<{ altered: PositionRange[]; missing: number }>
  /** The states of the organization's objects that have one, or of the given objects. */
  states(organization: number, objects?: number[]): Promise<Map<number, ObjectState>>
}

/** The moment before which what an object has is expired, by its own retention; 0: nothing is. */
export type Expiry = (object: Pick<MonitoredObject, 'retentionDays' | 'updatedAt'>) => number

/** Positions are partitioned and compared by week. */
export const WEEK_MS = 7 * DAY_MS
/** The epoch was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The Monday, 00:00 UTC, of a moment's week, in milliseconds since the epoch. */
export function weekOf(moment: number): number {
  return Math.floor((moment - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS
}
